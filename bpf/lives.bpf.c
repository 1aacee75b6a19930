/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How often tasks were created, renamed (every exec does that) and ended, by CPU. The kernel's own records
 * of these events, which arrive another way (record/place/sideband.h), are checked against these counts.
 * Each of the first two tracepoints is next to the call that writes the record, for every kind of task:
 * copy_process() has task_newtask right after perf_event_fork(), __set_task_comm() has task_rename right
 * before perf_event_comm(). Between the end of a task and its record, files may be closed.
 */
#include "bpf/kernel.h"

#include <bpf/bpf_tracing.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct ring_lives);
} lives SEC(".maps");

static __always_inline int count(enum ring_life what)
{
	u32 zero = 0;
	struct ring_lives *here = bpf_map_lookup_elem(&lives, &zero);

	if (here)
		__sync_fetch_and_add(&here->counts[what], 1); /* atomic: another one may preempt this */
	return 0;
}

enum { CLONE_VM = 0x100, CLONE_VFORK = 0x4000, CLONE_THREAD = 0x10000 };

struct ring_shares lives_shares;

static __always_inline void share(const struct task_struct *task)
{
	u32 number = __sync_fetch_and_add(&lives_shares.count, 1);
	struct ring_share *item = &lives_shares.items[number % RING_SHARES];

	item->time = bpf_ktime_get_ns();
	item->parent_tgid = bpf_get_current_pid_tgid() >> 32;
	item->tgid = task->tgid;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(lives_fork, struct task_struct *task, u64 flags)
{
	/* the kernel's own threads have no memory of this kind */
	if ((flags & (CLONE_VM | CLONE_VFORK | CLONE_THREAD)) == CLONE_VM && task->mm)
		share(task);
	return count(RING_LIFE_FORK);
}

SEC("tp_btf/task_rename")
int lives_rename(void *ctx)
{
	return count(RING_LIFE_RENAME);
}

SEC("tp_btf/sched_process_exit")
int lives_exit(void *ctx)
{
	return count(RING_LIFE_EXIT);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
