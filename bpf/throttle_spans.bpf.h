/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Before Linux 6.18: when quotas were used up, by group and CPU. All threads of such a group leave the run queue at
 * once, and no thread is marked: kprobes note when that begins and ends. What of a thread's time on run queues falls
 * into it was the quota's.
 */
#ifndef RWALKER_BPF_THROTTLE_SPANS_BPF_H
#define RWALKER_BPF_THROTTLE_SPANS_BPF_H

#include "bpf/throttler.bpf.h"
#include "bpf/wait_filter.bpf.h"

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

#endif
