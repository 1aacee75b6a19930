/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What all programs that record have in common: which tasks are recorded, and what that costs. Filters run before any
 * stack is walked, also in NMI context: lookups only, nothing is created or locked here. The knobs are set before the
 * program is loaded, so the verifier removes the filters that are off. Included by one program per object.
 */
#ifndef RWALKER_BPF_FILTER_BPF_H
#define RWALKER_BPF_FILTER_BPF_H

#include "bpf/comm_names.h"
#include "bpf/kernel.h"

const volatile struct ring_knobs knobs;

/* --- --max-cpu: without it, the programs that run contain only the cost --- */

struct ring_budget budget;

static __always_inline bool budget_paused(void)
{
	return knobs.may_change && *(volatile __u64 *)&budget.paused;
}

/* The least length of a wait that gets a record, ns. always: the one that is fixed. */
static __always_inline u64 budget_least(u64 always)
{
	return knobs.may_change ? *(volatile __u64 *)&budget.least : always;
}

static __always_inline u64 budget_period(u64 period)
{
	u64 changed = knobs.may_change ? *(volatile __u64 *)&budget.period : 0;

	return changed ? changed : period;
}

/* Whether something was noted before a pause, during which nothing was noted. time: when. */
static __always_inline bool budget_outdated(u64 time)
{
	return knobs.may_change && time < *(volatile __u64 *)&budget.since;
}

/* The time, if this run is one that is measured, else 0. An odd number of them, as programs often run in turn. */
static __always_inline u64 cost_begin(__u64 *runs)
{
	return (*runs)++ % RING_MEASURED ? 0 : bpf_ktime_get_ns();
}

static __always_inline void cost_end(u64 begin, __u64 *ns)
{
	if (begin)
		*ns += (bpf_ktime_get_ns() - begin) * RING_MEASURED;
}

/* --- which tasks --- */

enum { MAX_CGROUP_DEPTH = 32 };

const volatile __u64 wanted_cpus[RING_CPU_WORDS];
const volatile struct comm_names wanted_comms; /* -c */

/* Set by the recorder once it knows them, before the first event. */
struct ring_own own;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RING_MAX_IDS);
	__type(key, u32);
	__type(value, u32);
} wanted_tgids SEC(".maps"), wanted_tids SEC(".maps");

/* By id: the inode of the directory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RING_MAX_CGROUPS);
	__type(key, u64);
	__type(value, u32);
} wanted_cgroups SEC(".maps");

/* The command's descendants: created by the recorder for the command itself, then at each fork. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u32);
} followed SEC(".maps");

/* The recorder and its helpers, which are its children and those of its spawners; not the command it started. */
static __always_inline bool process_is_own(u32 tgid, u32 parent)
{
	if (tgid == own.tgid)
		return true;
	return tgid != own.command_tgid &&
	       (parent == own.tgid || parent == own.spawner_tgid || parent == own.flight_tgid);
}

static __always_inline bool task_is_own(struct task_struct *task)
{
	return process_is_own(task->tgid, BPF_CORE_READ(task, real_parent, tgid));
}

static __always_inline bool task_is_listed(struct task_struct *task)
{
	u32 tgid = task->tgid, tid = task->pid;

	return bpf_map_lookup_elem(&wanted_tgids, &tgid) || bpf_map_lookup_elem(&wanted_tids, &tid);
}

/* Cgroups that are made later are below those that were there, so ids need not be followed. */
static __always_inline bool task_in_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup = task->cgroups->dfl_cgrp;

	for (int depth = 0; depth < MAX_CGROUP_DEPTH && cgroup; depth++) {
		struct cgroup_subsys_state *parent = cgroup->self.parent;
		u64 id = cgroup->kn->id;

		if (bpf_map_lookup_elem(&wanted_cgroups, &id))
			return true;
		if (!parent)
			return false;
		cgroup = parent->cgroup;
	}
	return false;
}

static __always_inline bool task_comm_matches(struct task_struct *task)
{
	char comm[COMM_BYTES] = {};

	bpf_probe_read_kernel(comm, sizeof(comm), task->comm);
	return comm_names_match(&wanted_comms, comm);
}

static __always_inline bool cpu_is_wanted(u32 cpu)
{
	u32 word = cpu / 64;

	return !(knobs.filters & RING_FILTER_CPUS) || (word < RING_CPU_WORDS && (wanted_cpus[word] >> (cpu % 64) & 1));
}

static __always_inline bool task_is_wanted(struct task_struct *task)
{
	u32 filters = knobs.filters;
	bool kernel_thread = task->flags & PF_KTHREAD;

	if ((filters & RING_FILTER_USER_THREADS) && kernel_thread)
		return false;
	if ((filters & RING_FILTER_KERNEL_THREADS) && !kernel_thread)
		return false;
	if ((filters & RING_FILTER_IDS) && !task_is_listed(task))
		return false;
	if ((filters & RING_FILTER_FOLLOWED) && !bpf_task_storage_get(&followed, task, 0, 0))
		return false;
	if ((filters & RING_FILTER_COMM) && !task_comm_matches(task))
		return false;
	return !(filters & RING_FILTER_CGROUP) || task_in_cgroup(task);
}

static __always_inline void task_describe(struct task_struct *task, struct ring_task *ret_task)
{
	ret_task->start = task->start_boottime;
	ret_task->tgid = task->tgid;
	ret_task->tid = task->pid;
	ret_task->kernel_thread = !!(task->flags & PF_KTHREAD);
	((u64 *)ret_task->comm)[0] = ((const u64 *)task->comm)[0];
	((u64 *)ret_task->comm)[1] = ((const u64 *)task->comm)[1];
	ret_task->cgroup = kernel_has(RING_PART_CGROUPS) ? task->cgroups->dfl_cgrp->kn->id : 0;
}

__u64 follow_failed; /* children that could not be marked: no memory */

/*
 * A task is followed if the one that makes it is, also where the kernel makes it for a process (io_uring's workers,
 * which sched_process_fork does not tell). The tracepoint fires in the maker's context before the new task runs, the
 * only place where task storage may be created.
 */
SEC("tp_btf/task_newtask")
int follow_new(u64 *ctx)
{
	struct task_struct *child = (void *)ctx[0];

	if (!bpf_task_storage_get(&followed, bpf_get_current_task_btf(), 0, 0))
		return 0;
	if (!bpf_task_storage_get(&followed, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		__sync_fetch_and_add(&follow_failed, 1);
	return 0;
}

/*
 * The recorder's tgid, and what its clocks show; run on request. Called right after the caller slept: its last arrival
 * by sched_clock (which user space cannot read) is then moments before now by CLOCK_MONOTONIC.
 */
SEC("syscall")
int read_clock(struct ring_clock *clock)
{
	struct task_struct *task = bpf_get_current_task_btf();

	clock->last_arrival = task->sched_info.last_arrival;
	clock->monotonic = bpf_ktime_get_ns();
	clock->tgid = task->tgid;
	return 0;
}

#endif
