/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How much of a wait a quota took: time in which the thread was runnable, but its control group, or one above it, had
 * used up its cpu.max (version 1: cpu.cfs_quota_us) on that CPU. The kernel counts such time as that of a run queue.
 */
#ifndef RWALKER_BPF_WAIT_THROTTLE_BPF_H
#define RWALKER_BPF_WAIT_THROTTLE_BPF_H

#include "bpf/object.bpf.h"
#include "bpf/wait.bpf.h"

/* --- the control group: which, its quota, and its path --- */

enum { THROTTLE_LEVELS = 16 /* groups above a thread's own that are looked at */ };

static __always_inline struct cfs_rq *queue_on(const struct task_group *group, u32 cpu)
{
	struct cfs_rq **queues = BPF_CORE_READ(group, cfs_rq), *queue = NULL;

	bpf_probe_read_kernel(&queue, sizeof(queue), &queues[cpu]);
	return queue;
}

static __always_inline void describe_throttler(const struct task_group *group, struct ring_throttle *throttle)
{
	throttle->id = BPF_CORE_READ(group, css.cgroup, kn, id);
	throttle->quota = BPF_CORE_READ(group, cfs_bandwidth.quota);
	throttle->period = BPF_CORE_READ(group, cfs_bandwidth.period);
	throttle->token = mix(mix(mix(as_number(group), throttle->id), throttle->quota), throttle->period) | 1;
}

static long throttler_step(u32 index, void *context)
{
	u32 number = *(u32 *)context, at;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	const struct task_group *group;
	u64 above;
	long length;

	(void)index;
	if (!room)
		return 1;
	group = (const void *)room->walk.dentry;
	above = as_number(BPF_CORE_READ(group, parent));
	if (!above) /* the root, which has no name */
		return 1;
	at = room->walk.at;
	length = bpf_probe_read_kernel_str(room->words, RING_NAME_BYTES / 2,
					   BPF_CORE_READ(group, css.cgroup, kn, name));
	if (length <= 1 || length > at) {
		room->walk.flags |= OBJECT_CUT;
		return 1;
	}
	at = (at - length) & (RING_NAME_BYTES - 1);
	room->name.bytes[at] = '/';
	bpf_probe_read_kernel(&room->name.bytes[at + 1], (length - 1) & (RING_NAME_BYTES - 1), room->words);
	room->walk.at = at;
	room->walk.dentry = above;
	return 0;
}

/* Its path, below the root of its hierarchy. */
static __always_inline void name_throttler(u64 group, u64 token, struct object_room *room, u32 number)
{
	room->walk.dentry = group;
	room->walk.at = RING_NAME_BYTES;
	room->walk.flags = 0;
	bpf_loop(THROTTLE_LEVELS, throttler_step, &number, 0);
	room->name.flags = room->walk.flags;
	room->name.length = RING_NAME_BYTES - room->walk.at;
	room->name.mapping = 0;
	room->name.token = token;
}

/* --- before Linux 6.18: when quotas were used up, by group and CPU --- */

/*
 * All threads of such a group leave the run queue at
 * once, and no thread is marked: kprobes note when that begins and ends. What of a thread's time on run queues falls
 * into it was the quota's.
 */

enum {
	THROTTLE_SPANS = 8, /* a power of two */
	THROTTLE_QUEUES = 8192,
	THROTTLE_LEAST = 20000, /* ns: shorter times on a run queue are not looked at */
};

struct throttle_span {
	u64 from, to; /* as from switch_now() */
};

struct throttles { /* of a group on a CPU: its own, and those of the groups above it */
	u64 since; /* 0: not throttled */
	u64 group; /* whose quota was used up last */
	u64 count; /* of spans so far */
	struct throttle_span spans[THROTTLE_SPANS];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, THROTTLE_QUEUES);
	__type(key, u64); /* the address of its run queue */
	__type(value, struct throttles);
} throttles SEC(".maps");

__u64 throttles_begun;

static __always_inline u64 throttle_now(void)
{
	return bpf_ktime_get_ns() - queue_drift();
}

static __always_inline struct throttles *throttles_of(u64 queue)
{
	return bpf_map_lookup_elem(&throttles, &queue);
}

/* Called for the group whose quota is used up, for which it returns true, then for those below it. */
static __always_inline bool throttle_begins(const struct task_group *group, u32 cpu)
{
	const struct cfs_rq *queue = queue_on(group, cpu);
	const struct task_group *parent = BPF_CORE_READ(group, parent);
	const struct throttles *above = parent ? throttles_of(as_number(queue_on(parent, cpu))) : NULL;
	struct throttles none = {0}, *own;
	u64 key = as_number(queue);

	if (BPF_CORE_READ(queue, throttle_count))
		return false;
	own = throttles_of(key);
	if (!own && !bpf_map_update_elem(&throttles, &key, &none, BPF_NOEXIST))
		own = throttles_of(key);
	if (!own)
		return false;
	own->group = above && above->since ? above->group : as_number(group);
	own->since = throttle_now();
	throttles_begun++;
	return own->group == as_number(group);
}

static __always_inline void throttle_ends(const struct task_group *group, u32 cpu)
{
	const struct cfs_rq *queue = queue_on(group, cpu);
	struct throttles *own = throttles_of(as_number(queue));
	struct throttle_span *span;

	if (BPF_CORE_READ(queue, throttle_count) != 1 || !own || !own->since)
		return;
	span = &own->spans[own->count++ & (THROTTLE_SPANS - 1)];
	span->from = own->since;
	span->to = throttle_now();
	own->since = 0;
}

SEPARATE u64 common_part(u64 from, u64 to, u64 since, u64 until)
{
	from = from > since ? from : since;
	to = to < until ? to : until;
	return to > from ? to - from : 0;
}

/* What of [from, to] a quota took from the threads of a run queue, given by its address; and whose quota. */
SEPARATE u64 spans_part(u64 queue, u64 from, u64 to, struct ring_throttle *throttle)
{
	const struct throttles *known = throttles_of(queue);
	u64 part;

	if (!known || !throttle)
		return 0;
	part = known->since ? common_part(from, to, known->since, to) : 0;
	for (u32 i = 0; i < THROTTLE_SPANS; i++)
		part += common_part(from, to, known->spans[i].from, known->spans[i].to);
	if (part)
		describe_throttler((const struct task_group *)known->group, throttle);
	return part;
}

/*
 * A thread that was moved while it waited was throttled on the CPU that it came from: a group that is
 * throttled on a CPU gets no threads there, except those that are woken up.
 */
static __always_inline u64 probed_part(struct task_struct *task, struct wait_entry *entry, u64 from, u64 to)
{
	const struct cfs_rq *queue = task->se.cfs_rq;

	if (entry->wait_class != WAIT_BLOCKED && entry->wait_class != WAIT_STARTED)
		queue = queue_on(BPF_CORE_READ(queue, tg), entry->out_cpu);
	return spans_part(as_number(queue), from, to, &entry->throttle);
}

/* --- since Linux 6.18 --- */

/*
 * A thread of such a group goes on until it returns to user space; there the kernel takes it off the
 * CPU and marks it (task->throttled). For how long follows from the kernel's account of the time for which the group
 * was throttled on that CPU, which is read at the switch-out and at the switch-in.
 */

static __always_inline bool marks_throttled(void)
{
	return wait_knobs.throttle == RING_THROTTLE_MARKED;
}

/* For how long the group of a run queue was throttled there, by that run queue's clock. */
static __always_inline u64 throttled_so_far(const struct cfs_rq *queue, u64 clock)
{
	u64 since = BPF_CORE_READ(queue, throttled_clock_self), sum = BPF_CORE_READ(queue, throttled_clock_self_time);

	return since && clock > since ? sum + clock - since : sum;
}

struct throttle_search {
	const struct task_group *group;
	u32 cpu, found;
};

static long throttle_step(u32 index, struct throttle_search *search)
{
	const struct task_group *group = search->group;
	const struct cfs_rq *queue = queue_on(group, search->cpu);

	(void)index;
	search->found = BPF_CORE_READ_BITFIELD_PROBED(queue, throttled);
	if (!search->found)
		search->group = BPF_CORE_READ(group, parent);
	return search->found || !search->group;
}

/*
 * For a runnable thread that leaves the CPU or is off it, and has been throttled for `so_far`. Notes the nearest group
 * whose own quota is used up there. Not inline: most threads are not throttled.
 */
static __noinline const struct task_group *note_throttled(struct task_struct *task, struct wait_entry *entry,
							  u64 clock, u64 so_far)
{
	const struct cfs_rq *queue = task->se.cfs_rq;
	struct throttle_search search = {.group = BPF_CORE_READ(queue, tg), .cpu = task->thread_info.cpu};

	if (!entry)
		return NULL;
	entry->throttle = (struct ring_throttle){0};
	entry->throttle_queue = as_number(queue);
	entry->throttle_before = throttled_so_far(queue, clock) - so_far;
	bpf_loop(THROTTLE_LEVELS, throttle_step, &search, 0);
	if (!search.found)
		return NULL;
	describe_throttler(search.group, &entry->throttle);
	return search.group;
}

/* 0 if the thread was moved to another group meanwhile: then it is not known. */
static __always_inline u64 marked_part(struct task_struct *task, const struct wait_entry *entry, u64 clock)
{
	const struct cfs_rq *queue = task->se.cfs_rq;
	u64 sum;

	if (as_number(queue) != entry->throttle_queue)
		queue = queue_on(BPF_CORE_READ(queue, tg), entry->out_cpu);
	if (as_number(queue) != entry->throttle_queue)
		return 0;
	sum = throttled_so_far(queue, clock);
	return sum > entry->throttle_before ? sum - entry->throttle_before : 0;
}

static __always_inline bool is_maybe_throttled(const struct wait_entry *entry, u64 run_queue)
{
	if (marks_throttled())
		return entry->head & WAIT_HEAD_THROTTLED;
	return wait_knobs.throttle == RING_THROTTLE_PROBED && *(volatile __u64 *)&throttles_begun &&
	       run_queue >= THROTTLE_LEAST;
}

struct throttle_split {
	struct task_struct *task;
	struct wait_entry *entry;
	u64 now, run_queue;
};

static long split_step(u32 index, struct throttle_split *split)
{
	struct wait_entry *entry = split->entry;
	u64 part, run_queue = split->run_queue;

	(void)index;
	if (marks_throttled())
		part = marked_part(split->task, entry, split->now - queue_offset());
	else
		part = probed_part(split->task, entry, split->now - run_queue, split->now);
	part = part < run_queue ? part : run_queue;
	entry->throttle.throttled = part;
	if (part)
		entry->flags |= ENTRY_THROTTLED;
	else
		entry->flags &= ~ENTRY_THROTTLED;
	split->run_queue -= part;
	return 1;
}

/*
 * Takes the throttled part out of `run_queue`, the time on run queues until `now` (from switch_now()), and notes it in
 * the entry. Returns the rest.
 */
static __noinline u64 split_throttled(struct task_struct *task, struct wait_entry *entry, u64 now, u64 run_queue)
{
	struct throttle_split split = {.task = task, .entry = entry, .now = now, .run_queue = run_queue};

	if (entry)
		ONE_WAY_OUT(split_step, &split);
	return split.run_queue;
}

#endif
