/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/flight_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/time_units.h"
#include "record/flight/flight.h"
#include "record/host/clocks.h"
#include "record/plan/filter.h"
#include "record/plan/record_options.h"

enum { USAGES = 32, ALL_PERCENT = 10000 };

struct usage { /* CPU time of a cgroup, or time under pressure, up to a moment, ns */
	uint64_t time, used;
};

struct watched {
	const struct trigger_rule *rule;
	regex_t regex; /* of tasks; empty: any */
	bool has_regex;
	int fd;	    /* a pressure file, or a cgroup's cpu.stat; -1: none */
	bool reads; /* the kernel does not notify us of this pressure, so we read its total */
	struct usage usages[USAGES]; /* the latest, one for each part of the window */
	uint32_t usage_count;
};

struct triggers {
	struct flight *flight;
	struct watched items[FLIGHT_MAX_RULES];
	uint32_t count;
	uint64_t least;
	uint64_t began; /* the first look; 0: there was none */
};

/* --- opening --- */

static int never(const struct watched *watched, const char *why)
{
	log_warning("--trigger '%s' can never fire: %s", watched->rule->text, why);
	return 0;
}

static int open_waits(struct watched *watched, const struct record_offcpu *offcpu)
{
	const struct trigger_rule *rule = watched->rule;
	int r = *rule->name ? comm_pattern_compile(rule->name, &watched->regex) : 0;

	if (r < 0)
		return r;
	watched->has_regex = *rule->name;
	if (!offcpu->wanted)
		return never(watched, "it needs --offcpu 0");
	if (rule->value < (uint64_t)offcpu->least)
		return never(watched, "waits that short are only summed; -m sets the limit");
	if (offcpu->most && rule->value >= (uint64_t)offcpu->most)
		return never(watched, "-M leaves out waits that long");
	if (rule->states && !(rule->states & offcpu->states))
		return never(watched, "--state leaves out these waits");
	return 0;
}

/* The CPU time used or the time under pressure so far, ns; false if the kernel does not account for it. */
static bool read_usage(const struct watched *watched, uint64_t *ret_used)
{
	const char *key = watched->rule->kind == TRIGGER_CPU ? "usage_usec " : watched->rule->full ? "full " : "some ";
	char text[512];
	ssize_t length = pread(watched->fd, text, sizeof(text) - 1, 0);
	const char *at;

	if (length <= 0)
		return false;
	text[length] = '\0';
	at = strstr(text, key);
	if (at && watched->rule->kind == TRIGGER_PSI)
		at = strstr(at, key = "total=");
	*ret_used = at ? strtoull(at + strlen(key), NULL, 10) * MICROSECOND : 0;
	return at;
}

/* Opens a file of a cgroup, which is given by its path or as systemd names it. */
static int open_in_cgroup(const char *cgroup, const char *file, int flags)
{
	static const char *const roots[] = {"", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/"};
	char path[2 * TRIGGER_TEXT_MAX];
	int fd = -1;

	for (size_t i = *cgroup == '/' ? 0 : 1; i < (*cgroup == '/' ? 1 : 3) && fd < 0; i++) {
		(void)snprintf(path, sizeof(path), "%s%s/%s", roots[i], cgroup, file);
		fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);
	}
	return fd < 0 ? -errno : fd;
}

static int open_pressure_file(const struct trigger_rule *rule, int flags)
{
	static const char *const names[PRESSURES] = {"cpu", "io", "memory"};
	char file[32];

	(void)snprintf(file, sizeof(file), *rule->name ? "%s.pressure" : "%s", names[rule->pressure]);
	return open_in_cgroup(*rule->name ? rule->name : "/proc/pressure", file, flags);
}

/* Asks the kernel to notify us. */
static bool ask_for_pressure(struct watched *watched)
{
	const struct trigger_rule *rule = watched->rule;
	char text[96];
	int length = snprintf(text, sizeof(text), "%s %" PRIu64 " %" PRIu64, rule->full ? "full" : "some",
			      rule->window / MICROSECOND * rule->value / ALL_PERCENT, rule->window / MICROSECOND);

	watched->fd = open_pressure_file(rule, O_RDWR);
	if (watched->fd < 0)
		return false;
	if (write(watched->fd, text, (size_t)length + 1) > 0)
		return true;
	(void)close(watched->fd);
	return false;
}

/*
 * The kernel notifies only processes that may write to the file; in a cgroup, only its owner may.
 * Without CAP_SYS_RESOURCE, windows must be 2s, 4s, ..., and before Linux 6.4 there are no
 * notifications. Everybody may read the file.
 */
static int open_pressure(struct watched *watched)
{
	struct usage usage;

	if (watched->rule->full && watched->rule->pressure == PRESSURE_CPU && !*watched->rule->name)
		return never(watched, "cpu.full is of cgroups; the host has cpu.some");
	if (ask_for_pressure(watched))
		return 0;
	watched->reads = true;
	watched->fd = open_pressure_file(watched->rule, O_RDONLY);
	if (watched->fd < 0)
		return never(watched, watched->fd == -ENOENT ? "there is no such pressure (psi=1, cgroup v2)" :
							       strerror(-watched->fd));
	if (!read_usage(watched, &usage.used))
		return never(watched, "this kernel does not account for it");
	return watched->rule->window < SECOND ?
		       never(watched, "without CAP_SYS_RESOURCE, the shortest time is 1s") : 0;
}

static int open_account(struct watched *watched)
{
	watched->fd = open_in_cgroup(watched->rule->name, "cpu.stat", O_RDONLY);
	if (watched->fd >= 0)
		return 0;
	return never(watched, watched->fd == -ENOENT ? "there is no such cgroup (v2)" : strerror(-watched->fd));
}

/* Takes the pressure that `others` watch by the same rule. */
static int share_pressure(struct watched *watched, const struct triggers *others)
{
	for (uint32_t i = 0; i < others->count; i++) {
		const struct watched *other = &others->items[i];

		if (other->rule->kind != TRIGGER_PSI || strcmp(other->rule->text, watched->rule->text) != 0)
			continue;
		watched->fd = other->fd < 0 ? -1 : fcntl(other->fd, F_DUPFD_CLOEXEC, 0);
		watched->reads = other->reads;
		return other->fd < 0 || watched->fd >= 0 ? 0 : -errno;
	}
	return log_error(EOPNOTSUPP, "--trigger '%s' cannot be added while it records: that takes a restart",
			 watched->rule->text);
}

static int open_rule(struct watched *watched, const struct record_offcpu *offcpu, const struct triggers *others)
{
	switch (watched->rule->kind) {
	case TRIGGER_WAIT:
	case TRIGGER_RUNQ:
		return open_waits(watched, offcpu);
	case TRIGGER_PSI:
		return others ? share_pressure(watched, others) : open_pressure(watched);
	case TRIGGER_CPU:
		return open_account(watched);
	default:
		return 0;
	}
}

static bool is_of_waits(const struct trigger_rule *rule)
{
	return rule->kind == TRIGGER_WAIT || rule->kind == TRIGGER_RUNQ;
}

int triggers_open(struct triggers **triggers, const struct record_flight *plan, const struct record_offcpu *offcpu,
		  struct flight *flight)
{
	struct triggers *others = *triggers, *ours = calloc(1, sizeof(*ours));
	int r = 0;

	if (!ours)
		return -ENOMEM;
	ours->flight = flight;
	ours->least = UINT64_MAX;
	ours->began = others ? others->began : 0;
	for (uint32_t i = 0; i < plan->rule_count && r >= 0; i++) {
		struct watched *watched = &ours->items[ours->count++];

		*watched = (struct watched){.rule = &plan->rules[i], .fd = -1};
		r = open_rule(watched, offcpu, others);
		if (is_of_waits(watched->rule) && watched->rule->value < ours->least)
			ours->least = watched->rule->value;
	}
	triggers_destroy(r < 0 ? ours : others);
	*triggers = r < 0 ? others : ours;
	return r;
}

void triggers_destroy(struct triggers *triggers)
{
	if (!triggers)
		return;
	for (uint32_t i = 0; i < triggers->count; i++) {
		if (triggers->items[i].has_regex)
			regfree(&triggers->items[i].regex);
		if (triggers->items[i].fd >= 0)
			(void)close(triggers->items[i].fd);
	}
	free(triggers);
}

/* --- waits and walks --- */

uint64_t triggers_least(const struct triggers *triggers)
{
	return triggers->least;
}

/* Idle threads are in D, too, but have a bit that says so. */
static uint64_t state_bits(uint64_t state)
{
	const uint64_t idle = TASK_UNINTERRUPTIBLE | TASK_NOLOAD;

	return (state & idle) == idle ? TASK_NOLOAD : state;
}

static uint64_t run_queue_of(const struct event_wait *wait)
{
	bool partly = wait->wait_class == WAIT_BLOCKED || wait->wait_class == WAIT_STARTED;

	return partly ? wait->run_queue : wait->length - wait->throttled;
}

/*
 * A thread that is runnable has left the state in which it slept, so rules with states do not count that time. What a
 * quota took is no time on a run queue.
 */
static uint64_t length_for(const struct trigger_rule *rule, const struct event_wait *wait)
{
	uint64_t queued = run_queue_of(wait), runnable = queued + wait->throttled;

	if (rule->kind == TRIGGER_RUNQ)
		return queued;
	if (!rule->states)
		return wait->length;
	return wait->length > runnable ? wait->length - runnable : 0;
}

static bool is_meant(const struct watched *watched, const struct event_wait *wait, const struct event_task *task)
{
	const struct trigger_rule *rule = watched->rule;

	if (length_for(rule, wait) <= rule->value || (rule->states && !(rule->states & state_bits(wait->state))))
		return false;
	return !watched->has_regex || !regexec(&watched->regex, task->comm, 0, NULL, 0);
}

void triggers_wait(struct triggers *triggers, const struct event_wait *wait, const struct event_task *task)
{
	for (uint32_t i = 0; i < triggers->count; i++) {
		const struct watched *watched = &triggers->items[i];
		struct flight_cause cause = {.rule = watched->rule->text, .comm = task->comm, .tgid = task->tgid,
					     .tid = task->tid, .value = length_for(watched->rule, wait)};

		if (!is_of_waits(watched->rule) || !is_meant(watched, wait, task))
			continue;
		flight_fire(triggers->flight, &cause, wait->time);
	}
}

void triggers_walked(struct triggers *triggers, const struct flight_cause *cause, uint64_t now)
{
	for (uint32_t i = 0; i < triggers->count; i++) {
		const struct trigger_rule *rule = triggers->items[i].rule;
		struct flight_cause fires = *cause;

		fires.rule = rule->text;
		if (rule->kind == TRIGGER_STUCK && cause->value > rule->value)
			flight_fire(triggers->flight, &fires, now);
	}
}

/* --- pressures and cgroups --- */

static bool is_pressed(const struct watched *watched)
{
	struct pollfd wanted = {.fd = watched->fd, .events = POLLPRI};

	return poll(&wanted, 1, 0) > 0 && wanted.revents & POLLPRI && !(wanted.revents & POLLERR);
}

/* The share of one CPU, or of the time, since the window began, in hundredths of a percent; 0: it is not over yet. */
static uint64_t share_of(struct watched *watched, uint64_t now)
{
	uint64_t window = watched->rule->window;
	struct usage *last = &watched->usages[watched->usage_count % USAGES], *first = NULL;
	uint64_t used;

	if (watched->usage_count &&
	    now - watched->usages[(watched->usage_count - 1) % USAGES].time < window / (USAGES - 2))
		return 0;
	if (!read_usage(watched, &used))
		return 0;
	*last = (struct usage){now, used};
	watched->usage_count++;
	for (uint32_t i = 1; i < USAGES && i < watched->usage_count && !first; i++) {
		struct usage *old = &watched->usages[(watched->usage_count - 1 - i) % USAGES];

		first = now - old->time >= window ? old : NULL;
	}
	return first && used > first->used ? (used - first->used) * ALL_PERCENT / (now - first->time) : 0;
}

void triggers_look(struct triggers *triggers, uint64_t now)
{
	triggers->began = triggers->began ? triggers->began : now;
	for (uint32_t i = 0; i < triggers->count; i++) {
		struct watched *watched = &triggers->items[i];
		struct flight_cause cause = {.rule = watched->rule->text};
		bool fires = false;

		if (watched->fd < 0) {
			continue;
		} else if (watched->rule->kind == TRIGGER_PSI && !watched->reads) {
			fires = is_pressed(watched) && now - triggers->began >= watched->rule->window;
			cause.value = watched->rule->value; /* the kernel does not say how much more */
		} else {
			cause.value = share_of(watched, now);
			fires = cause.value > watched->rule->value;
		}
		if (fires)
			flight_fire(triggers->flight, &cause, now);
	}
}
