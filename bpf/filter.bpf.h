/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which tasks are recorded. Runs before any stack is walked, also in NMI context: lookups only,
 * nothing is created or locked here. The knobs are set before the program is loaded, so the
 * verifier removes the filters that are off.
 */
#ifndef RWALKER_BPF_FILTER_BPF_H
#define RWALKER_BPF_FILTER_BPF_H

#include "bpf/kernel.h"
#include "bpf/budget.bpf.h"
#include "bpf/ring_event.h"
#include "bpf/comm_names.h"

enum { MAX_CGROUP_DEPTH = 32 };

const volatile struct ring_filter_knobs knobs;
const volatile __u64 wanted_cpus[RING_CPU_WORDS];
const volatile struct comm_names wanted_comms; /* -c */

/* Set by the recorder once it knows them, before the first event. */
struct ring_own own;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RING_MAX_IDS);
	__type(key, u32);
	__type(value, u32);
} wanted_tgids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RING_MAX_IDS);
	__type(key, u32);
	__type(value, u32);
} wanted_tids SEC(".maps");

/* By id: the inode of the directory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RING_MAX_CGROUPS);
	__type(key, u64);
	__type(value, u32);
} wanted_cgroups SEC(".maps");

/* The command's descendants: created by the recorder for the command itself, then at each fork (bpf/follow.bpf.h). */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u32);
} followed SEC(".maps");

/* The recorder and its helpers, which are its children and those of its nurseries; not the command it started. */
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

#endif
