/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wait_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/view/object_text.h"

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

void wait_write_ms(FILE *out, uint64_t ns)
{
	uint64_t us = ns / 1000 + (ns % 1000 >= 500);

	(void)fprintf(out, " %8" PRIu64 ".%03" PRIu64, us / 1000, us % 1000);
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

	profile_state_text(wait->state, 0, state);
	printable_write(out, state, strnlen(state, sizeof(state)));
	(void)fprintf(out, "%s, %s", wait->flags & PROFILE_WAIT_IOWAIT ? " iowait" : "",
		      wait_class_name(wait->wait_class));
}

static void write_waker(FILE *out, const struct waits *waits, const struct profile_wait *wait)
{
	static const char *const interrupts[] = {[WAKER_SOFTIRQ] = "a softirq", [WAKER_IRQ] = "an irq"};
	bool interrupt = wake_is_interrupt(wait->waker_context);

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

/* --- walk holders --- */

static int compare_thread(const struct walk_holders *holders, uint32_t row, uint32_t walk, uint32_t task)
{
	const struct profile_task *l = &holders->tasks[holders->rows[row].task], *r = &holders->tasks[task];

	return COMPARE(holders->rows[row].walk, walk) ?: COMPARE(l->host, r->host) ?: COMPARE(l->tid, r->tid) ?:
	       COMPARE(l->start, r->start);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct walk_holders *holders = context;
	const uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	return compare_thread(holders, l, holders->rows[r].walk, holders->rows[r].task) ?: COMPARE(l, r);
}

static bool has_holder(const struct profile_walk_task *row)
{
	return row->held & HELD_BY_OWNER && !(row->held & HELD_BY_READER);
}

/* --- holders that were not walked; there are few --- */

static uint32_t find_outsider(struct walk_holders *holders, uint32_t walk, uint32_t task)
{
	size_t i = holders->outsider_count;

	while (i > 0 && (holders->outsiders[i - 1].walk != walk || holders->outsiders[i - 1].task != task))
		i--;
	if (!i) {
		holders->outsiders[holders->outsider_count++] = (struct walk_outsider){walk, task};
		i = holders->outsider_count;
	}
	return (uint32_t)(holders->row_count + i - 1);
}

static uint32_t find_holder(struct walk_holders *holders, const struct profile_walk_task *row)
{
	const size_t at = SORTED_FIRST(i, holders->row_count,
				       compare_thread(holders, holders->order[i], row->walk, row->owner) >= 0);

	if (at < holders->row_count && !compare_thread(holders, holders->order[at], row->walk, row->owner))
		return holders->order[at];
	return find_outsider(holders, row->walk, row->owner);
}

/* --- how many a task holds up: counted from those that hold up nobody towards their holders, each task once --- */

static size_t all_numbers(const struct walk_holders *holders)
{
	return holders->row_count + holders->outsider_count;
}

static uint32_t holder_of(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count ? holders->holder[number] : WALK_NO_HOLDER;
}

/* `waiting`: how many tasks that it holds up directly have not been added yet. Tasks in circles are left over. */
static void add_up(struct walk_holders *holders, uint32_t *waiting, uint32_t *queue)
{
	size_t count = 0;

	for (uint32_t i = 0; i < holders->row_count; i++)
		if (holders->holder[i] != WALK_NO_HOLDER)
			waiting[holders->holder[i]]++;
	for (uint32_t i = 0; i < holders->row_count; i++)
		if (!waiting[i])
			queue[count++] = i;
	for (size_t next = 0; next < count; next++) {
		const uint32_t holder = holder_of(holders, queue[next]);

		if (holder == WALK_NO_HOLDER)
			continue;
		holders->held[holder] += holders->held[queue[next]] + 1;
		if (!--waiting[holder])
			queue[count++] = holder;
	}
}

/* Each task in a circle holds up the others, and all that they hold up. */
static void add_circle(struct walk_holders *holders, uint32_t *waiting, uint32_t first)
{
	uint32_t at = first, sum = 0;

	do {
		sum += holders->held[at] + 1;
		at = holders->holder[at];
	} while (at != first);
	do {
		holders->held[at] = sum - 1;
		waiting[at] = 0;
		at = holders->holder[at];
	} while (at != first);
}

static int count_held(struct walk_holders *holders)
{
	_cleanup_free_ uint32_t *waiting = calloc(all_numbers(holders) + 1, sizeof(*waiting));
	_cleanup_free_ uint32_t *queue = calloc(all_numbers(holders) + 1, sizeof(*queue));

	if (!waiting || !queue)
		return -ENOMEM;
	add_up(holders, waiting, queue);
	for (uint32_t i = 0; i < holders->row_count; i++)
		if (waiting[i])
			add_circle(holders, waiting, i);
	return 0;
}

int walk_holders_init(struct walk_holders *holders, const struct profile *profile)
{
	size_t wanted = 0, task_count;

	*holders = (struct walk_holders){0};
	holders->row_count = profile_walk_tasks(profile, &holders->rows);
	holders->tasks = profile_tasks(profile, &task_count);
	for (size_t i = 0; i < holders->row_count; i++)
		wanted += has_holder(&holders->rows[i]);
	holders->order = calloc(holders->row_count + 1, sizeof(*holders->order));
	holders->holder = calloc(holders->row_count + 1, sizeof(*holders->holder));
	holders->outsiders = calloc(wanted + 1, sizeof(*holders->outsiders));
	holders->held = calloc(holders->row_count + wanted + 1, sizeof(*holders->held));
	if (!holders->order || !holders->holder || !holders->outsiders || !holders->held)
		return -ENOMEM;
	for (uint32_t i = 0; i < holders->row_count; i++)
		holders->order[i] = i;
	qsort_r(holders->order, holders->row_count, sizeof(*holders->order), compare_rows, holders);
	for (size_t i = 0; i < holders->row_count; i++)
		holders->holder[i] = has_holder(&holders->rows[i]) ? find_holder(holders, &holders->rows[i]) :
								     WALK_NO_HOLDER;
	return count_held(holders);
}

void walk_holders_deinit(struct walk_holders *holders)
{
	free(holders->order);
	free(holders->holder);
	free(holders->outsiders);
	free(holders->held);
	*holders = (struct walk_holders){0};
}

uint32_t walk_holders_walk(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count ? holders->rows[number].walk :
					     holders->outsiders[number - holders->row_count].walk;
}

uint32_t walk_holders_task(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count ? holders->rows[number].task :
					     holders->outsiders[number - holders->row_count].task;
}

/* The row; NULL if it was not walked. */
static const struct profile_walk_task *walk_holders_row(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count ? &holders->rows[number] : NULL;
}

/* --- walk text --- */

enum { MOST_HOLDERS = 16 }; /* lines of one task */

static void write_state(FILE *out, const struct waits *waits, const struct profile_walk_task *row)
{
	struct profile_wait wait = profile_walk_wait(row);

	wait.held &= HELD_FROM_READING;
	if (row->on_cpu) {
		(void)fprintf(out, ", running on CPU %" PRIu32, row->cpu);
		return;
	}
	(void)fputs(", ", out);
	printable_write(out, row->state, strnlen(row->state, sizeof(row->state)));
	if (row->bound != WAIT_NONE) {
		(void)fputs(" for ", out);
		wait_write_length(out, row->wait, row->bound);
	}
	wait_write_object(out, ", ", waits, &wait);
}

void walk_write_task(FILE *out, const struct waits *waits, const struct walk_holders *holders, uint32_t number)
{
	const struct profile_walk_task *row = walk_holders_row(holders, number);

	wait_write_task(out, &holders->tasks[walk_holders_task(holders, number)]);
	if (row)
		write_state(out, waits, row);
}

void walk_write_holders(FILE *out, const struct waits *waits, const struct walk_holders *holders, uint32_t row)
{
	uint32_t at = holders->holder[row], way[MOST_HOLDERS + 1] = {row};
	bool circle = false;

	for (unsigned int i = 1; at < holders->row_count && i <= MOST_HOLDERS && !circle; i++) {
		for (unsigned int back = 0; back < i; back++)
			circle |= way[back] == at;
		(void)fputs("    [held by ", out);
		walk_write_task(out, waits, holders, at);
		(void)fputs(circle ? ": a circle]\n" : "]\n", out);
		way[i] = at;
		at = holders->holder[at];
	}
}
