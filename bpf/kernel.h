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
 * Calls step(0, context), which may be about a task, unlike a separate function. Of all paths
 * through it that leave the same values in registers and on the stack, the verifier follows only
 * one further.
 */
#define ONE_WAY_OUT(step, context) bpf_loop(1, step, context, 0)

#include "bpf/kernel_cgroups.bpf.h"
#include "bpf/kernel_sched.bpf.h"
#include "bpf/ring_parts.h"

const volatile __u64 kernel_parts; /* bits, by enum ring_part */

/* Constant for the verifier: code behind it may use types that this kernel lacks. */
static __always_inline bool kernel_has(enum ring_part part)
{
	return kernel_parts >> part & 1;
}

/* Like bpf_core_field_offset(), but 0 if this kernel lacks the member: for functions that are checked on their own. */
#define OFFSET_OF(type, ...) (bpf_core_field_exists(type, __VA_ARGS__) ? bpf_core_field_offset(type, __VA_ARGS__) : 0)

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

struct pt_regs___kernel { /* as in the kernel; user-space headers have another struct of that name */
	unsigned long ip, sp, bp, di, si; /* x86 */
	unsigned long pc;	     /* arm64 */
	long orig_ax;		     /* x86: the system call, -1 otherwise */
	s32 syscallno;		     /* arm64: likewise */
	long ax;		     /* x86: -ENOSYS until the call has a result */
	u64 regs[31], orig_x0;	     /* arm64: regs[0] is orig_x0 until then */
};

struct hlist_node;

struct hlist_head {
	struct hlist_node *first;
};

struct mm_struct {
	unsigned long start_stack; /* where the main stack began, below the arguments */
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
};

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

#endif
