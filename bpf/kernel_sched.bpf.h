/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the scheduler keeps about tasks: the scheduler's part of bpf/kernel.h, which includes this.
 */
#ifndef RWALKER_BPF_KERNEL_SCHED_H
#define RWALKER_BPF_KERNEL_SCHED_H

#include <stdbool.h>

#include <linux/types.h>

#include "bpf/kernel_cgroups.bpf.h"

#define MAX_RT_PRIO 100

enum scx_ent_flags { SCX_TASK_STATE_SHIFT = 8, SCX_TASK_STATE_MASK = 3 << 8 };
enum scx_task_state { SCX_TASK_ENABLED = 3 };				 /* 6.12 */
enum scx_ent_flags___shifted { SCX_TASK_ENABLED___shifted = 4 << 8 }; /* where later kernels have the mask */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_info {
	unsigned long long run_delay;	 /* ns spent on run queues so far */
	unsigned long long last_arrival; /* sched_clock: when it last got a CPU */
	/* By the run queue's clock, since when it has waited for a CPU; 0: it is not waiting. */
	unsigned long long last_queued;
};

struct rq {
	int cpu;
	__u64 clock;
	__u64 clock_task;		/* charged to tasks: pauses while interrupts or the host have the CPU */
	__u64 prev_steal_time_rq; /* ns that the host has taken; CONFIG_PARAVIRT_TIME_ACCOUNTING */
};

struct sched_ext_entity { /* CONFIG_SCHED_CLASS_EXT */
	__u32 flags;
};

struct task_group;

struct cfs_rq {
	struct rq *rq; /* CONFIG_FAIR_GROUP_SCHED, and what follows */
	struct task_group *tg;
	/* CONFIG_CFS_BANDWIDTH: */
	int throttle_count;	 /* how many quotas are used up here: its group's own, and those above */
	bool throttled : 1;	 /* its group's own is */
	/* By `rq->clock`, since when threads have been kept from running, 0: none is; ns before that. 6.7. */
	__u64 throttled_clock_self, throttled_clock_self_time;
};

struct cfs_bandwidth {
	__s64 period;
	__u64 quota; /* ns in each period */
};

struct task_group {
	struct cgroup_subsys_state css;
	struct cfs_rq **cfs_rq; /* by CPU */
	struct task_group *parent;
	struct cfs_bandwidth cfs_bandwidth;
};

struct sched_entity {
	__u64 exec_start;
	__u64 sum_exec_runtime;
	__u64 prev_sum_exec_runtime;
	unsigned char sched_delayed;
	struct cfs_rq *cfs_rq; /* of the task's CPU, for any class */
};

#pragma clang attribute pop

#endif
