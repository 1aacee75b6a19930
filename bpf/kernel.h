/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel types and constants that the programs use, and nothing else. Order, offsets and
 * missing members do not matter: libbpf relocates each access by the running kernel's BTF. Names
 * and types must be the kernel's. Drift between kernels is handled here.
 */
#ifndef RWALKER_BPF_KERNEL_H
#define RWALKER_BPF_KERNEL_H

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/ring.h"

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define NULL ((void *)0)

#define ENOSYS 38

/* Code that runs at every switch is laid out for the common case. */
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/*
 * A function that the verifier checks on its own, once. It checks a static function again for each
 * state in which a call is reached, and then follows each way out of it. Arguments are numbers, or
 * pointers to memory with room for what they point to, which may be NULL. The result is a number.
 */
#define SEPARATE __attribute__((noinline))

/*
 * Calls step(0, context), which may be about a task, unlike a separate function. Of all paths through it that leave the
 * same values in registers and on the stack, the verifier follows only one further.
 */
#define ONE_WAY_OUT(step, context) bpf_loop(1, step, context, 0)

const volatile __u64 kernel_parts; /* bits, by enum ring_part */

/* Constant for the verifier: code behind it may use types that this kernel lacks. */
static __always_inline bool kernel_has(enum ring_part part)
{
	return kernel_parts >> part & 1;
}

/* Like bpf_core_field_offset(), but 0 if this kernel lacks the member: for functions that are checked on their own. */
#define OFFSET_OF(type, ...) (bpf_core_field_exists(type, __VA_ARGS__) ? bpf_core_field_offset(type, __VA_ARGS__) : 0)

#define MAX_RT_PRIO 100
enum scx_ent_flags { SCX_TASK_STATE_SHIFT = 8, SCX_TASK_STATE_MASK = 3 << 8 };
enum scx_task_state { SCX_TASK_ENABLED = 3 };				 /* 6.12 */
enum scx_ent_flags___shifted { SCX_TASK_ENABLED___shifted = 4 << 8 }; /* where later kernels have the mask */

#define PF_EXITING 0x00000004
#define PF_IO_WORKER 0x00000010
#define PF_USER_WORKER 0x00004000 /* since 6.4; created by the kernel within a process, like PF_IO_WORKER */
#define PF_KTHREAD 0x00200000

/* task_struct.__state is a mask (include/linux/sched.h, the same from 6.1 on). Never compare with ==. */
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED_BIT 0x0004
#define TASK_TRACED_BIT 0x0008
#define TASK_INTERRUPTIBLE 0x0001
#define TASK_DEAD 0x0080
#define TASK_WAKEKILL 0x0100
#define TASK_WAKING 0x0200 /* woken, on its way to a run queue */
#define TASK_NOLOAD 0x0400
#define TASK_RTLOCK_WAIT 0x1000
#define TASK_FREEZABLE 0x2000
#define TASK_FROZEN 0x8000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* --- control groups, of version 2 unless stated otherwise --- */

struct kernfs_node {
	const char *name;
	__u64 id; /* st_ino of the directory; never reused */
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup_root {
	int hierarchy_id; /* 0: version 2 */
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct css_set { struct cgroup *dfl_cgrp; };

struct bpf_iter_meta;

struct bpf_iter__cgroup {
	struct bpf_iter_meta *meta;
	struct cgroup *cgroup;
};

/* --- the scheduler --- */

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

struct sched_ext_entity { __u32 flags; }; /* CONFIG_SCHED_CLASS_EXT */

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

/* --- tasks --- */

struct pt_regs___kernel { /* as in the kernel; user-space headers have another struct of that name */
	unsigned long ip, sp, bp, di, si; /* x86 */
	unsigned long pc;	     /* arm64 */
	long orig_ax;		     /* x86: the system call, -1 otherwise */
	s32 syscallno;		     /* arm64: likewise */
	long ax;		     /* x86: -ENOSYS until the call has a result */
	u64 regs[31], orig_x0;	     /* arm64: regs[0] is orig_x0 until then */
};

struct hlist_node;

struct hlist_head { struct hlist_node *first; };

struct mm_struct {
	unsigned long start_stack; /* where the main stack began, below the arguments */
};

struct vm_area_struct { unsigned long vm_start, vm_end; };

struct thread_info {
	u32 cpu;
	u64 preempt_count; /* arm64 */
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int on_cpu;
	int on_rq;
	int prio;
	unsigned int policy;
	struct sched_entity se;
	struct sched_ext_entity scx;
	struct hlist_head preempt_notifiers; /* not empty if the task runs a virtual CPU */
	struct sched_info sched_info;
	struct mm_struct *mm;
	int exit_state;
	unsigned in_iowait : 1;
	int softirq_disable_cnt; /* PREEMPT_RT */
	unsigned frozen : 1;
	bool throttled; /* off the run queue because of a quota; 6.18 */
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	unsigned long nvcsw;
	unsigned long nivcsw;
	u64 start_time;
	u64 start_boottime;
	char comm[16];
	struct css_set *cgroups;
	unsigned long sas_ss_sp, sas_ss_size; /* of sigaltstack(2); size 0: none */
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id;
	u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

static __always_inline bool waits_for_io(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_iowait) && BPF_CORE_READ_BITFIELD(task, in_iowait);
}

/*
 * __state, or TASK_FROZEN alone for a task that a cgroup of version 2 has frozen: it sleeps in S, but for nothing that
 * it called for. Stopped and traced tasks, and parents in vfork(), which are in D, count as frozen in the kernel, too.
 */
static __always_inline u32 state_or_frozen(struct task_struct *task, u32 state)
{
	if (!bpf_core_field_exists(task->frozen) || !state ||
	    state & (TASK_STOPPED_BIT | TASK_TRACED_BIT | TASK_UNINTERRUPTIBLE))
		return state;
	return BPF_CORE_READ_BITFIELD(task, frozen) ? TASK_FROZEN : state;
}

/* --- user registers and user stacks --- */

enum {
	STACK_PAGE = 4096,
	STACK_PAGES = RING_MAX_SNAPSHOT / STACK_PAGE + 1, /* pages that the largest copy may touch */
	MAIN_STACK_MOST = 64 << 20, /* anything further below the end is a mapping (mmap_base) */
};

/* `end`: mm->start_stack. */
static __always_inline bool on_main_stack(u64 end, u64 sp)
{
	return sp < end && end - sp < MAIN_STACK_MOST;
}

/* Size of the kernel's struct pt_regs as a record holds it. */
static __always_inline u64 user_registers_bytes(void)
{
	return bpf_core_field_exists(struct pt_regs___kernel, orig_ax) ? RING_REGISTERS_X86 * 8 :
									 RING_REGISTERS_ARM64 * 8;
}

/*
 * How many of `size` bytes from an address are in its page `number`; 0 if none, or beyond `most`.
 * *ret_at: where they start. That follows from the number alone: with a running sum, the verifier
 * would track every value.
 */
static __always_inline u64 page_part(u32 number, u64 from, u64 size, u64 most, u64 *ret_at)
{
	u64 into = from % STACK_PAGE, at = number ? (u64)number * STACK_PAGE - into : 0;
	u64 part = number ? STACK_PAGE : STACK_PAGE - into;

	*ret_at = at;
	if (at >= size || at >= most)
		return 0;
	if (part > size - at)
		part = size - at;
	return part > STACK_PAGE ? 0 : part; /* never happens, but the verifier does not know */
}

#endif
