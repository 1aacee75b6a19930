/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The control group whose quota of CPU time was used up: which, how much, and its path. */
#ifndef RWALKER_BPF_THROTTLER_BPF_H
#define RWALKER_BPF_THROTTLER_BPF_H

#include "bpf/object_name.bpf.h"
#include "bpf/ring_wait.h"

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

#endif
