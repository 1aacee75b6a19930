/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/wait_text.h"

#include <inttypes.h>
#include <string.h>

#include "common/printable.h"
#include "common/time_units.h"

enum { US_PER_SECOND = SECOND / MICROSECOND };

struct figure wait_figure(uint64_t ns)
{
	static const struct unit {
		uint64_t ns;
		const char *name;
	} units[] = {{SECOND, "s"}, {MILLISECOND, "ms"}, {MICROSECOND, "us"}};
	struct figure figure;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t thousandth = units[i].ns / 1000, count;

		if (ns < units[i].ns)
			continue;
		count = ns / thousandth + (ns % thousandth >= thousandth - thousandth / 2);
		(void)snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%03" PRIu64 " %s",
			       count / 1000, count % 1000, units[i].name);
		return figure;
	}
	(void)snprintf(figure.text, sizeof(figure.text), "%" PRIu64 " ns", ns);
	return figure;
}

void wait_write_length(FILE *out, uint64_t ns, enum wait_bound bound)
{
	(void)fprintf(out, "%s%s", bound == WAIT_AT_LEAST ? "≥" : "", wait_figure(ns).text);
}

static uint64_t round_up(uint64_t ns)
{
	return ns / MICROSECOND + (ns % MICROSECOND != 0);
}

struct figure wait_offset(const struct waits *waits, uint32_t recording, uint64_t time)
{
	uint64_t start = waits->recordings[recording].start;
	uint64_t us = time >= start ? round_up(time - start) : (start - time) / MICROSECOND;
	struct figure figure;

	(void)snprintf(figure.text, sizeof(figure.text), "%c%" PRIu64 ".%06" PRIu64 " s",
		       time >= start || !us ? '+' : '-', us / US_PER_SECOND, us % US_PER_SECOND);
	return figure;
}

struct figure wait_wall_clock(const struct waits *waits, uint32_t recording, uint64_t time)
{
	uint64_t realtime = profile_realtime(waits->profile, recording, time);
	struct figure figure = {"wall clock unknown"};
	size_t length;
	uint64_t us;

	us = round_up(realtime);
	if (us < US_PER_SECOND)
		return figure;
	figure = figure_date(us / US_PER_SECOND * US_PER_SECOND * MICROSECOND);
	length = strlen(figure.text);
	(void)snprintf(figure.text + length, sizeof(figure.text) - length, ".%06" PRIu64 " UTC",
		       us % US_PER_SECOND);
	return figure;
}

void wait_write_recording(FILE *out, const struct waits *waits, uint32_t recording)
{
	if (waits->recording_count < 2)
		return;
	(void)fprintf(out, " (recording %" PRIu32, recording + 1);
	if (waits->several_hosts)
		(void)fprintf(out, ", host %" PRIu32, waits->recordings[recording].host);
	(void)fputc(')', out);
}

void wait_write_moment(FILE *out, const struct waits *waits, uint32_t recording, uint64_t time)
{
	(void)fprintf(out, "%s, %s", wait_wall_clock(waits, recording, time).text,
		      wait_offset(waits, recording, time).text);
	wait_write_recording(out, waits, recording);
}

void wait_write_out_bound(FILE *out, const struct profile_wait *wait)
{
	(void)fputs(wait_age_bound(wait) == WAIT_AT_LEAST ? " or before" : "", out);
}

void wait_write_task(FILE *out, const struct profile_task *task)
{
	printable_write(out, task->comm, strlen(task->comm));
	(void)fprintf(out, " tid %" PRIu32 " pid %" PRIu32, task->tid, task->tgid);
}

const char *wait_class_name(unsigned int wait_class)
{
	static const char *const names[WAIT_CLASSES] = {WAIT_CLASS_LIST(KIND_TEXT)[WAIT_THROTTLED] = "throttled"};

	return names[wait_class];
}

void wait_write_state(FILE *out, const struct profile_wait *wait)
{
	char state[24] = "";

	profile_wait_state(wait->state, state);
	printable_write(out, state, strnlen(state, sizeof(state)));
	(void)fprintf(out, "%s, %s", wait->flags & PROFILE_WAIT_IOWAIT ? " iowait" : "",
		      wait_class_name(wait->wait_class));
}

static void write_waker(FILE *out, const struct waits *waits, const struct profile_wait *wait)
{
	static const char *const interrupts[] = {[WAKER_SOFTIRQ] = "a softirq", [WAKER_IRQ] = "an irq"};
	bool interrupt = wait->waker_context == WAKER_SOFTIRQ || wait->waker_context == WAKER_IRQ;

	if (interrupt)
		(void)fputs(interrupts[wait->waker_context], out);
	if (wait->waker_context == WAKER_SOFTIRQ) /* which may run in the task's own call */
		return;
	if (wait->waker == PROFILE_NO_TASK) {
		(void)fputs(interrupt ? "" : "somebody unknown", out);
		return;
	}
	if (interrupt)
		(void)fputs(" that interrupted ", out);
	wait_write_task(out, &waits->tasks[wait->waker]);
	if (wait->waker_context == WAKER_UNKNOWN)
		(void)fputs(" in an unknown context", out);
}

static void write_wakeup(FILE *out, const struct waits *waits, const struct profile_wait *wait)
{
	(void)fputs("woken", out);
	if (wait->woken)
		(void)fprintf(out, " at %s", wait_offset(waits, wait->recording, wait->woken).text);
	if (wait->waker_context == WAKER_NONE) {
		(void)fputs(", by whom is not known, ", out);
		return;
	}
	(void)fputs(" by ", out);
	write_waker(out, waits, wait);
	(void)fputs(", ", out);
}

void wait_write_end(FILE *out, const struct waits *waits, const struct profile_wait *wait)
{
	bool open = wait->flags & PROFILE_WAIT_NOT_ENDED, blocked = wait->wait_class == WAIT_BLOCKED;
	bool woken = wait->woken || wait->waker_context != WAKER_NONE;
	struct figure in = wait_offset(waits, wait->recording, wait->in);

	if (woken || (blocked && !open))
		write_wakeup(out, waits, wait);
	if (!open)
		(void)fprintf(out, "ran from %s on", in.text);
	else
		(void)fprintf(out, "had not %s by %s, the end of the recording",
			      woken || !blocked ? "run" : "ended", in.text);
}
