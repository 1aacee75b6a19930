/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/waits.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/host/clocks.h"
#include "record/host/host.h"
#include "record/place/hits.h"
#include "record/plan/deadlines.h"
#include "record/plan/filter.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/probe/sched_clock.h"
#include "record/source/drain.h"
#include "record/source/held_stacks.h"
#include "record/source/look.h"
#include "record/source/loss.h"
#include "record/source/ring_stacks.h"
#include "record/source/ring_task.h"
#include "record/source/unended_waits.h"
#include "record/source/wait_objects.h"

/* --- tasks that the kernel hides from BPF, as some sandboxes hide their own: not in the iterator, and no program runs --- */

/* How many threads of the process are hidden. */
static unsigned int mark_process(const struct probe *probe, const char *process)
{
	char path[64];
	const struct dirent *entry;
	unsigned int hidden = 0;
	DIR *threads;

	(void)snprintf(path, sizeof(path), "/proc/%.16s/task", process);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		unsigned long tid = strtoul(entry->d_name, NULL, 10);

		hidden += tid && !probe_wait_hide(probe, (pid_t)tid);
	}
	if (threads)
		(void)closedir(threads);
	return hidden;
}

/* "process_api 1" for the first process with such threads, "" if there is none. */
static void name_process(unsigned long pid, char text[48])
{
	char path[64], comm[16] = "?";
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%lu/comm", pid);
	file = pid ? fopen(path, "re") : NULL;
	if (file && fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	if (file)
		(void)fclose(file);
	(void)snprintf(text, 48, "%s %lu", comm, pid);
}

/*
 * seen: number of tasks that the iterator showed. If the kernel counts more, or process 1 was not shown (the number may
 * have changed meanwhile), the threads in /proc that were not shown are marked as hidden, and their number is reported.
 */
static void hidden_tasks_mark(const struct probe *probe, uint64_t seen)
{
	const struct dirent *entry;
	unsigned int hidden = !probe_wait_hide(probe, 1), before = 0;
	unsigned long first = hidden;
	char name[48], printed[4 * sizeof(name)];
	DIR *processes;

	if (!hidden && host_threads() <= seen)
		return;
	processes = opendir("/proc");
	while (processes && (entry = readdir(processes)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') {
			before = hidden;
			hidden += mark_process(probe, entry->d_name);
			first = first || before == hidden ? first : strtoul(entry->d_name, NULL, 10);
		}
	if (processes)
		(void)closedir(processes);
	if (!hidden)
		return;
	name_process(first, name);
	(void)printable_escape(printed, sizeof(printed), name, strlen(name));
	log_info("this kernel hides %u thread%s from BPF, of %s for one: no waits are recorded there", hidden,
		 plural(hidden), printed);
}

/* --- waits --- */

enum { BUFFER_BYTES = 256 << 10 };

static_assert(sizeof(struct ring_sum) == sizeof(struct event_wait_sum),
	      "the programs' sums are the format's");

static uint64_t wait_flags(uint32_t flags)
{
	static const struct {
		uint32_t ring;
		uint64_t trace;
	} pairs[] = {
		{RING_WAIT_IOWAIT, WAIT_IOWAIT},
		{RING_WAIT_BEGAN_BEFORE, WAIT_BEGAN_BEFORE},
		{RING_WAIT_OUT_LATEST, WAIT_OUT_LATEST},
		{RING_WAIT_NOT_ENDED, WAIT_NOT_ENDED},
		{RING_WAIT_KERNEL_TRUNCATED, WAIT_KERNEL_TRUNCATED},
		{RING_WAIT_USER_LATER, WAIT_USER_LATER},
	};
	uint64_t all = 0;

	for (size_t i = 0; flags && i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (flags & pairs[i].ring)
			all |= pairs[i].trace;
	return all;
}

int waits_init(struct waits *waits)
{
	int r = 0;

	waits->buffer = malloc(BUFFER_BYTES);
	waits->filtered = calloc(waits->recording->max_cpus, sizeof(*waits->filtered));
	if (!waits->buffer || !waits->filtered)
		return -ENOMEM;
	if (waits->recording->config->flight.wanted)
		r = open_waits_create(waits, &waits->open);
	if (!r && waits->recording->config->user_stacks)
		r = user_stacks_create(waits->recording->threads, probe_max_frames(), waits->recording->halvings,
				       &waits->stacks);
	return r;
}

void waits_deinit(struct waits *waits)
{
	open_waits_destroy(waits->open);
	user_stacks_destroy(waits->stacks);
	free(waits->buffer);
	free(waits->filtered);
	*waits = (struct waits){0};
}

/* --- records to events --- */

static bool was_added(struct waits *waits, int r)
{
	waits->refused += r == -EINVAL;
	return r != -EINVAL && recording_check(waits->recording, r) >= 0;
}

static uint32_t snapshot_of(struct waits *waits, const struct ring_head *head, uint32_t flags)
{
	return waits->snapshots && flags & RING_SAMPLE_SNAPSHOT ? snapshots_number(waits->snapshots, head) : 0;
}

/*
 * Adds what was taken when the wait began. A missing snapshot may never have been taken: the stack,
 * if kept, shows which.
 */
static void join_kept(struct waits *waits, const struct ring_wait *raw, struct event_wait *wait,
		      struct event_stacks *stacks)
{
	struct user_stack kept;
	bool is_kept = user_stacks_take(waits->stacks, raw->task.tid, raw->out_key, &kept);

	if (waits->snapshots && (!is_kept || kept.snapshot))
		wait->snapshot = snapshots_before(waits->snapshots, raw->task.tid, raw->out_key, raw->out_cpu);
	else if (waits->snapshots && kept.no_snapshot)
		snapshots_lack(waits->snapshots, raw->out_cpu);
	if (!is_kept) {
		wait->missing = USER_MISSING_NO_ROOM;
		return;
	}
	wait->missing = kept.reason;
	ring_stacks_user(waits->recording, &raw->task,
			 &(struct ring_user){kept.frames, kept.count, kept.top, raw->head.source, wait->snapshot},
			 stacks);
	if (kept.truncated && stacks->user_count - stacks->user_words == kept.count) /* else that was noise */
		wait->flags |= WAIT_USER_TRUNCATED;
}

static void join_user_stack(struct waits *waits, const struct ring_wait *raw, struct event_wait *wait,
			    struct event_stacks *stacks)
{
	if (raw->flags & RING_WAIT_USER_KTHREAD)
		wait->missing = USER_MISSING_KERNEL_THREAD;
	else if ((raw->flags & RING_WAIT_USER_BEFORE) && waits->stacks)
		join_kept(waits, raw, wait, stacks);
}

static void take_waker(const struct waits *waits, const struct ring_waker *raw, struct event_wait *wait,
		       struct event_task *ret_task)
{
	if (raw->context == WAKER_NONE || wait->wait_class != WAIT_BLOCKED)
		return;
	wait->context = (uint32_t)raw->context;
	wait->woken = raw->time < wait->time ? wait->time - raw->time : 0;
	*ret_task = ring_task_event(waits->recording, &raw->task);
}

/* Bytes before the object. */
static size_t bytes_before_object(const struct ring_wait *raw)
{
	return sizeof(*raw) + (raw->flags & RING_WAIT_HAS_WAKER ? sizeof(struct ring_waker) : 0);
}

/* NULL if it has none. */
static const struct ring_object *object_of(const struct ring_wait *raw)
{
	return raw->flags & RING_WAIT_HAS_OBJECT ? (const void *)((const char *)raw + bytes_before_object(raw)) : NULL;
}

/*
 * Bytes before the frames; SIZE_MAX if more than `length`, that of the record or of its part that
 * is there so far.
 */
static size_t fixed_bytes(const struct ring_wait *raw, size_t length)
{
	const struct ring_object *object = object_of(raw);
	const size_t before = bytes_before_object(raw) + (object ? sizeof(*object) : 0);
	const size_t beside = before <= length && object && object->beside ? sizeof(struct ring_beside) : 0;
	const size_t fixed = before + beside + (raw->flags & RING_WAIT_THROTTLED ? sizeof(struct ring_throttle) : 0);

	return fixed <= length ? fixed : SIZE_MAX;
}

/* For a complete record. */
static const uint64_t *frames_of(const struct ring_wait *raw)
{
	return (const void *)((const char *)raw + fixed_bytes(raw, SIZE_MAX));
}

static void take_object(struct waits *waits, const struct ring_wait *raw, struct event_wait *wait,
			struct event_task *ret_owner)
{
	const struct ring_object *object = object_of(raw);
	const struct ring_beside *beside;

	if (!waits->objects || !object)
		return;
	beside = (const void *)(object + 1);
	wait_objects_take(waits->objects, object, wait);
	if (!object->beside)
		return;
	wait_objects_beside(waits->objects, beside, wait);
	*ret_owner = ring_task_event(waits->recording, &beside->owner);
}

/* It comes right before the frames. */
static void take_throttle(struct waits *waits, const struct ring_wait *raw, struct event_wait *wait)
{
	const struct ring_throttle *throttle = (const struct ring_throttle *)frames_of(raw) - 1;

	if (!(raw->flags & RING_WAIT_THROTTLED))
		return;
	wait->throttled = throttle->throttled;
	if (waits->objects)
		wait_objects_throttler(waits->objects, throttle, wait);
}

/* Bytes after the frames. */
static size_t switches_bytes(const struct ring_wait *raw)
{
	return raw->flags & RING_WAIT_NOT_ENDED ? sizeof(uint64_t) : 0;
}

uint64_t waits_switches(const struct ring_wait *wait)
{
	return frames_of(wait)[wait->kernel_count];
}

static void tell_watch(const struct recording_watch *watch, const struct event_wait *wait,
		       const struct event_task *task)
{
	if (watch->wait && wait->length > watch->least && !(wait->flags & WAIT_NOT_ENDED))
		watch->wait(watch->context, wait, task);
}

static void take_wait(struct waits *waits, const struct ring_head *head, size_t length)
{
	const struct ring_wait *raw = (const void *)head;
	const size_t fixed = fixed_bytes(raw, length);
	struct event_task task = ring_task_event(waits->recording, &raw->task), others[WAIT_OTHERS];
	struct event_wait wait = {
		.cpu = raw->flags & RING_WAIT_NOT_ENDED ? raw->out_cpu : head->cpu, /* it is not on any CPU */
		.source = head->source, .flags = wait_flags(raw->flags),
		.wait_class = raw->wait_class, .state = raw->state,
		.time = head->time, .length = head->time - raw->out,
		.run_queue = raw->run_queue, .out_cpu = raw->out_cpu,
	};
	struct event_stacks stacks;

	if (raw->kernel_count > RING_MAX_FRAMES || fixed > length ||
	    length < fixed + raw->kernel_count * sizeof(uint64_t) + switches_bytes(raw) ||
	    raw->out > head->time || raw->wait_class > WAIT_STARTED) {
		waits->refused++;
		return;
	}
	if (waits->open && !(raw->flags & RING_WAIT_NOT_ENDED))
		open_waits_end(waits->open, raw->task.tid, head->time);
	stacks = ring_stacks_take(waits->recording, &raw->task, frames_of(raw), raw->kernel_count,
				  &(struct ring_user){0});
	join_user_stack(waits, raw, &wait, &stacks);
	if (raw->flags & RING_WAIT_HAS_WAKER)
		take_waker(waits, (const void *)raw->rest, &wait, &others[WAIT_WAKER]);
	take_object(waits, raw, &wait, &others[WAIT_OWNER]);
	take_throttle(waits, raw, &wait);
	if (!was_added(waits, event_log_add_wait(waits->recording->log, &wait, &task, others, &stacks)))
		return;
	ring_stacks_mark(waits->recording, &raw->task, &stacks, wait.callers_known);
	tell_watch(&waits->recording->watch, &wait, &task);
	if (raw->flags & RING_WAIT_NOT_ENDED && raw->flags & RING_WAIT_USER_LATER)
		unended_waits_add(&waits->unended, raw, waits_switches(raw));
}

static void take_wake(struct waits *waits, const struct ring_head *head, size_t length)
{
	const struct ring_wake *raw = (const void *)head;
	struct event_task task = ring_task_event(waits->recording, &raw->task),
			  target = ring_task_event(waits->recording, &raw->target);
	struct event_wake wake = {
		.cpu = head->cpu,
		.source = head->source,
		.context = raw->context,
		.time = head->time,
		.missing = ring_stacks_missing(raw->flags),
	};
	struct event_stacks stacks;

	if (raw->kernel_count > RING_MAX_FRAMES || raw->user_count > RING_MAX_FRAMES ||
	    length < sizeof(*raw) + (raw->kernel_count + (size_t)raw->user_count + ring_stacks_top(raw->flags)) *
					    sizeof(uint64_t)) {
		waits->refused++;
		return;
	}
	wake.snapshot = snapshot_of(waits, head, raw->flags);
	stacks = ring_stacks_take(waits->recording, &raw->task, (const uint64_t *)raw->frames, raw->kernel_count,
				  &(struct ring_user){NULL, raw->user_count, ring_stacks_top(raw->flags), head->source,
						      wake.snapshot});
	wake.flags = ring_stacks_flags(raw->flags, raw->user_count, &stacks);
	if (was_added(waits, event_log_add_wake(waits->recording->log, &wake, &task, &target, &stacks)))
		ring_stacks_mark(waits->recording, &raw->task, &stacks, wake.callers_known);
}

static void keep_user_stack(struct waits *waits, const struct ring_user_stack *raw)
{
	user_stacks_keep(waits->stacks, &(struct user_stack){
						.out = raw->head.time,
						.tid = raw->task.tid,
						.count = (uint32_t)raw->count,
						.top = ring_stacks_top(raw->flags),
						.reason = raw->reason,
						.truncated = raw->flags & RING_SAMPLE_USER_TRUNCATED,
						.snapshot = raw->flags & RING_SAMPLE_SNAPSHOT,
						.no_snapshot = raw->flags & RING_SAMPLE_NO_SNAPSHOT,
						.frames = (const uint64_t *)raw->frames});
}

static void take_user_stack(struct waits *waits, const struct ring_head *head, size_t length)
{
	const struct ring_user_stack *raw = (const void *)head;
	struct event_task task = ring_task_event(waits->recording, &raw->task);
	struct event_user_stack record = {
		.cpu = head->cpu,
		.source = head->source,
		.missing = raw->reason,
		.time = head->time,
		.since = head->time - raw->since,
	};
	struct event_stacks stacks;

	if (raw->count > RING_MAX_FRAMES ||
	    length < sizeof(*raw) + (raw->count + ring_stacks_top(raw->flags)) * sizeof(uint64_t) ||
	    raw->since > head->time || !waits->stacks) {
		waits->refused++;
		return;
	}
	if (!raw->since)
		return keep_user_stack(waits, raw);
	record.snapshot = snapshot_of(waits, head, raw->flags);
	stacks = ring_stacks_take(waits->recording, &raw->task, (const uint64_t *)raw->frames, 0,
				  &(struct ring_user){NULL, (uint32_t)raw->count, ring_stacks_top(raw->flags),
						      head->source, record.snapshot});
	record.flags = ring_stacks_flags(raw->flags, (uint32_t)raw->count, &stacks);
	if (was_added(waits, event_log_add_user_stack(waits->recording->log, &record, &task, &stacks)))
		ring_stacks_mark(waits->recording, &raw->task, &stacks, record.callers_known);
}

static void take_sums(struct waits *waits, const struct ring_head *head, size_t length)
{
	const struct ring_sums *raw = (const void *)head;
	struct event_task task = ring_task_event(waits->recording, &raw->task);
	struct event_wait_sums sums = {
		.time = head->time,
		.source = head->source,
		.span = head->time - raw->since,
		.running = raw->running,
	};

	if (length < sizeof(*raw) || raw->since > head->time) {
		waits->refused++;
		return;
	}
	memcpy(sums.kinds, raw->kinds, sizeof(sums.kinds));
	(void)was_added(waits, event_log_add_wait_sums(waits->recording->log, &sums, &task));
}

static void take_name(struct waits *waits, const struct ring_head *head, size_t length)
{
	(void)length;
	if (waits->objects)
		wait_objects_name(waits->objects, (const struct ring_name *)head);
}

/* The task of a record, for a -c that the programs could not apply. */
static const struct ring_task *subject(const struct ring_head *head)
{
	switch (head->kind) {
	case RING_WAIT:
		return &((const struct ring_wait *)head)->task;
	case RING_WAKE:
		return &((const struct ring_wake *)head)->target;
	case RING_USER_STACK:
		return &((const struct ring_user_stack *)head)->task;
	case RING_SUMS:
		return &((const struct ring_sums *)head)->task;
	default:
		return NULL;
	}
}

static const struct kind {
	size_t size;
	void (*take)(struct waits *waits, const struct ring_head *head, size_t length);
} kinds[] = {
	[RING_WAIT] = {sizeof(struct ring_wait), take_wait},
	[RING_WAKE] = {sizeof(struct ring_wake), take_wake},
	[RING_USER_STACK] = {sizeof(struct ring_user_stack), take_user_stack},
	[RING_SUMS] = {sizeof(struct ring_sums), take_sums},
	[RING_NAME] = {sizeof(struct ring_name), take_name},
};

static const struct kind *kind_of(const struct ring_head *head)
{
	const struct kind *kind = head->kind < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[head->kind] : NULL;

	return kind && kind->take ? kind : NULL;
}

void waits_take(struct waits *waits, const struct ring_head *head, size_t length)
{
	const struct kind *kind = kind_of(head);
	char comm[COMM_BYTES];

	if (!kind || length < kind->size || head->cpu >= waits->recording->max_cpus) {
		waits->refused++;
		return;
	}
	if (head->kind == RING_NAME) /* others may wait for the same object */
		return kind->take(waits, head, length);
	memcpy(comm, subject(head)->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	if (filter_wants(waits->filter, comm))
		kind->take(waits, head, length);
	else
		waits->filtered[head->cpu] += head->kind == RING_WAIT;
}

/* --- looks at all tasks --- */

size_t waits_record_length(const char *at, size_t room)
{
	const struct ring_head *head = (const void *)at;
	const struct ring_wait *wait = (const void *)at;
	const struct kind *kind = room >= sizeof(*head) ? kind_of(head) : NULL;
	size_t length = kind ? kind->size : 0;

	if (!length || room < length)
		return 0;
	if (head->kind == RING_WAIT) {
		length = fixed_bytes(wait, room);
		if (length > room)
			return 0;
		length += wait->kernel_count * sizeof(uint64_t) + switches_bytes(wait);
	}
	return length <= room ? length : 0;
}

static size_t take_rows(struct waits *waits, size_t held)
{
	size_t at = 0, length;

	while ((length = waits_record_length(waits->buffer + at, held - at))) {
		waits_take(waits, (const void *)(waits->buffer + at), length);
		at += length;
	}
	memmove(waits->buffer, waits->buffer + at, held - at);
	return held - at;
}

int waits_look_open(const struct waits *waits, enum ring_look kind)
{
	static const unsigned int budgets[] = {
		[RING_LOOK_FIRST] = LOOK_FIRST, [RING_LOOK_LAST] = LOOK_LAST, [RING_LOOK_OPEN] = LOOK_FLIGHT,
	};
	struct ring_look_state *state = probe_wait_look(waits->probe);
	uint64_t offset;
	int r = sched_clock_offset(waits->probe, &offset);

	if (r < 0)
		return r;
	state->clock_offset = offset;
	if (kind == RING_LOOK_FIRST)
		state->clock_base = offset;
	state->kind = kind;
	state->until = clocks_now() + (uint64_t)budgets[kind] * MILLISECOND;
	state->left_out = 0;
	return probe_wait_look_open(waits->probe);
}

static int look(struct waits *waits, enum ring_look kind, struct drain *drain)
{
	_cleanup_close_ int fd = waits_look_open(waits, kind);
	struct look look = {.drain = drain};
	size_t held = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	while ((got = look_read(&look, fd, waits->buffer + held, BUFFER_BYTES - held)) > 0)
		held = take_rows(waits, held + (size_t)got);
	look_count(waits->recording, probe_wait_look(waits->probe)->left_out, "what they wait for, or since when,");
	return got < 0 ? (int)got : held ? -EBADMSG : 0;
}

static int waits_open(struct waits *waits)
{
	int r = probe_waits_attach(waits->probe);

	if (r < 0)
		return r;
	r = look(waits, RING_LOOK_FIRST, NULL);
	if (r < 0)
		return log_error(-r, "cannot read the states of all tasks: %s", strerror(-r));
	if (!probe_wait_look(waits->probe)->left_out)
		hidden_tasks_mark(waits->probe, probe_wait_look(waits->probe)->seen);
	return 0;
}

void waits_start(struct waits *waits)
{
	__atomic_store_n(&probe_wait_look(waits->probe)->armed, clocks_now(), __ATOMIC_RELEASE);
}

void waits_follow_clock(struct waits *waits)
{
	uint64_t offset;

	if (sched_clock_offset(waits->probe, &offset) < 0)
		return;
	probe_wait_look(waits->probe)->clock_offset = offset;
	if (!sched_clock_drifts(&waits->clock, clocks_now(), offset) || waits->drifted)
		return;
	waits->drifted = true;
	log_warning("the scheduler's clock drifts from CLOCK_MONOTONIC: lengths of waits are off "
		    "by as much");
}

static int waits_stop(struct waits *waits)
{
	int r = look(waits, RING_LOOK_LAST, waits->drain);

	probe_waits_detach(waits->probe);
	unended_waits_begin(&waits->unended);
	return r < 0 ? log_error(-r, "cannot read the states of all tasks at the end (%s): waits that "
				     "have not ended are missing", strerror(-r)) : 0;
}

/* --- the source --- */

void waits_account(struct waits *waits, struct loss *loss)
{
	uint64_t wakes = 0, refused = waits->refused + waits->unended.refused;

	if (probe_counters(waits->probe, PROBE_WAITS, loss->now) < 0)
		return;
	for (uint32_t cpu = 0; cpu < loss->recording->max_cpus; cpu++) {
		__u64 *counters = loss->now[cpu].counters;

		counters[RING_COUNT_RECORDED] -= waits->filtered[cpu];
		counters[RING_COUNT_FILTERED] += waits->filtered[cpu];
		if (waits->snapshots)
			counters[RING_COUNT_SNAPSHOT] += waits->snapshots->lost[cpu];
		loss_add_counters(loss, SOURCE_ID_OFFCPU, cpu, counters);
		wakes += loss->now[cpu].wakes_lost;
		loss->run_ns += loss->now[cpu].run_ns;
	}
	loss_add(loss, SOURCE_ID_WAKERS, 0, LOSS_RING_FULL, wakes);
	loss_add(loss, SOURCE_ID_OFFCPU, 0, LOSS_ENCODER, refused);
	loss->lost += wakes + refused;
}

static uint32_t count(const struct record_config *config)
{
	return config->offcpu.wanted;
}

static int64_t lasts(const struct record_config *config, uint32_t number)
{
	(void)number;
	return config->offcpu.lasts;
}

static void take(void *source, const struct ring_head *head, size_t length)
{
	waits_take(source, head, length);
}

static int open_source(void *source, const struct source_parts *parts)
{
	static const enum ring_kind own[] = {RING_WAIT, RING_WAKE, RING_USER_STACK, RING_SUMS, RING_NAME};
	struct waits *waits = source;
	int r;

	*waits = (struct waits){
		.recording = parts->recording,
		.probe = parts->probe,
		.filter = parts->filter,
		.snapshots = parts->snapshots,
		.objects = probe_wait_objects(parts->probe) ? parts->objects : NULL,
		.drain = parts->drain,
		.unended = {.recording = parts->recording, .users = parts->users, .source = SOURCE_ID_OFFCPU},
	};
	r = waits_init(waits);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		drain_handle(parts->drain, own[i], take, waits);
	return r < 0 ? r : waits_open(waits);
}

static void close_source(void *source)
{
	waits_deinit(source);
}

static int start(void *source)
{
	struct waits *waits = source;

	waits->span.start = clocks_now();
	waits->running = true;
	waits_start(waits);
	return 0;
}

static int stop(void *source, uint32_t number)
{
	struct waits *waits = source;
	int r;

	(void)number;
	if (!waits->running)
		return 0;
	waits->running = false;
	(void)drain_pass(waits->drain); /* user stacks kept for waits that have not ended are older than these */
	r = waits_stop(waits);
	waits->span.stop = clocks_now();
	return r;
}

static void describe_as(const struct waits *waits, uint32_t id, enum source_kind kind, struct event_text name)
{
	struct recording *recording = waits->recording;
	const struct event event = {
		.kind = EVENT_SOURCE,
		.source = {
			.id = id,
			.kind = kind,
			.weight = WEIGHT_NS,
			.name = name,
			.start = waits->span.start,
			.stop = source_stop(&waits->span),
			.flags = ring_stacks_source_flags(recording->config),
			.least = (uint64_t)recording->config->offcpu.least,
			.most = (uint64_t)recording->config->offcpu.most,
		},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void describe(const void *source)
{
	const struct waits *waits = source;

	describe_as(waits, SOURCE_ID_OFFCPU, SOURCE_OFFCPU, (struct event_text){"sched_switch", 12});
	if (waits->recording->config->offcpu.wakers)
		describe_as(waits, SOURCE_ID_WAKERS, SOURCE_WAKERS, (struct event_text){"sched_waking", 12});
}

static void account(void *source, struct loss *loss)
{
	waits_account(source, loss);
}

static uint64_t recorded(const void *source)
{
	struct event_log_count held;

	event_log_count(((const struct waits *)source)->recording->log, SOURCE_ID_OFFCPU, &held);
	return held.held;
}

const struct source_ops waits_ops = {
	.programs = PROBE_WAITS,
	.event = "wait", .view = "--top-waits", .count = count, .lasts = lasts, .open = open_source,
	.close = close_source, .start = start, .stop = stop, .describe = describe, .account = account,
	.recorded = recorded, .takes_users = true,
};
