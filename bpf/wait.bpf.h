/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What is known of each task's current wait, and how a switch-out is judged. An entry is made where a task is made, by the
 * first look at all tasks, or by the recorder for those that are hidden from that: never in the scheduler. It is
 * written by the CPU that switches the task, and its waker by the CPU that wakes it, which the scheduler orders.
 */
#ifndef RWALKER_BPF_WAIT_BPF_H
#define RWALKER_BPF_WAIT_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring.bpf.h"
#include "bpf/ring_wait.h"

enum wait_entry_flag {
	WAIT_TOLD = RING_WAIT_IOWAIT | RING_WAIT_BEGAN_BEFORE | RING_WAIT_OUT_EARLIEST, /* go into the record as they are */
	WAIT_IN_SYSCALL = 64, /* it left the CPU within a system call: its user stack is taken when that returns */
	WAIT_CLOSED = 128,    /* the last look has told what there was to tell */
};

struct wait_entry {
	u64 hidden; /* made by the recorder for a task that the first look did not see: set until it is seen at a switch-out */
	u64 out; /* of the wait it is in; 0: it is on a CPU, or was not seen to leave one yet */
	u64 run_delay; /* of the kernel's account, at `out` */
	u64 ran;       /* likewise: sum_exec_runtime up to which `running` counts */
	u32 state;
	u16 out_cpu;
	u8 wait_class, flags;
	u64 running, since; /* for the next record of sums: ns on a CPU, and since when */
	u64 pending; /* switch-in of the first wait whose user stack is still to be taken; 0: none */
	u64 ip, sp;  /* user registers then */
	struct ring_waker waker;
	struct ring_sum sums[RING_SUM_KINDS];
	u64 first_arrival; /* of the task when the first look found it */
	u32 first_state, first_seen;
	u32 hasty; /* preempted waits since a long one: whether the next is worth taking its user stack before it is known */
	u32 voluntary; /* the task's nvcsw at its last switch-out */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait_entry);
} wait_entries SEC(".maps");

static __always_inline bool in_system_call(struct task_struct *task, long *ret_number)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	*ret_number = bpf_core_field_exists(regs->orig_ax) ? regs->orig_ax : regs->syscallno;
	return *ret_number >= 0;
}

static __always_inline bool is_yield(struct task_struct *task)
{
	enum { X86_SCHED_YIELD = 24, ARM64_SCHED_YIELD = 124 };
	long number;

	if (task->flags & PF_KTHREAD)
		return true; /* it called the scheduler itself: nothing returns it to user space */
	if (!in_system_call(task, &number))
		return false;
	return number == (bpf_core_field_exists(struct pt_regs___kernel, orig_ax) ? X86_SCHED_YIELD : ARM64_SCHED_YIELD);
}

/*
 * Not `preempt` alone: a task that is interrupted in user space is switched on its way back to it, by a plain call of the
 * scheduler in state 0, as one that yields. A pending signal turns a sleep back before it begins: the state is 0 again, since
 * 6.15 also the one that the tracepoint tells, and the switch is counted as voluntary all the same.
 */
static __always_inline u8 judge_switch(struct task_struct *prev, bool preempt, u32 state, bool voluntary)
{
	if (preempt)
		return RING_WAIT_PREEMPTED;
	if (state)
		return prev->__state ? RING_WAIT_BLOCKED : RING_WAIT_CANCELLED;
	if (voluntary)
		return RING_WAIT_CANCELLED;
	return is_yield(prev) ? RING_WAIT_YIELDED : RING_WAIT_PREEMPTED;
}

/* How much of the wait that ends now was spent runnable, by the kernel's own account of run queues. */
static __always_inline u64 run_queue_part(struct task_struct *next, const struct wait_entry *entry, u64 length)
{
	u64 part = next->sched_info.run_delay - entry->run_delay, queued = next->sched_info.last_queued;

	if (entry->wait_class != RING_WAIT_BLOCKED)
		return length;
	if (queued && bpf_core_field_exists(next->se.cfs_rq->rq) && next->se.cfs_rq->rq->clock > queued)
		part += next->se.cfs_rq->rq->clock - queued;
	return part < length ? part : length;
}

static __always_inline u32 sum_kind(const struct wait_entry *entry)
{
	if (entry->wait_class != RING_WAIT_BLOCKED)
		return RING_SUM_PREEMPTED + entry->wait_class - RING_WAIT_PREEMPTED;
	if ((entry->state & TASK_UNINTERRUPTIBLE) && !(entry->state & TASK_NOLOAD))
		return RING_SUM_UNINTERRUPTIBLE;
	return entry->state & TASK_INTERRUPTIBLE ? RING_SUM_INTERRUPTIBLE : RING_SUM_OTHER_BLOCKED;
}

static __always_inline void add_sum(struct wait_entry *entry, u64 length, u64 run_queue)
{
	u32 kind = sum_kind(entry);

	if (kind >= RING_SUM_KINDS)
		return;
	entry->sums[kind].count++;
	entry->sums[kind].total += length;
	entry->sums[kind].run_queue += run_queue;
}

/*
 * x86 keeps it per CPU, in a variable whose address is no program's to have; but where it lies from the run queue, which is
 * per CPU too, is in the kernel's description of its types.
 */
static __always_inline int preempt_depth(struct task_struct *current_task, struct ring_cpu *cpu, s64 distance)
{
	struct rq *rq;
	int depth = -1;

	if (bpf_core_field_exists(current_task->thread_info.preempt_count))
		return (int)current_task->thread_info.preempt_count;
	if (!cpu->preempt_count && distance && bpf_core_field_exists(current_task->se.cfs_rq->rq)) {
		rq = BPF_CORE_READ(current_task, se.cfs_rq, rq);
		cpu->preempt_count = rq ? (u64)rq + distance : 0;
	}
	if (cpu->preempt_count)
		(void)bpf_probe_read_kernel(&depth, sizeof(depth), (void *)cpu->preempt_count);
	return depth;
}

/* include/linux/preempt.h: bits 16-23 interrupts, bit 8 a softirq being served. */
static __always_inline u32 waker_context(struct task_struct *current_task, struct ring_cpu *cpu, s64 distance)
{
	enum { SERVING_SOFTIRQ = 1 << 8, IN_INTERRUPT = 0xff << 16 };
	int depth = preempt_depth(current_task, cpu, distance);

	if (depth == -1)
		return RING_WAKER_UNKNOWN;
	if (depth & IN_INTERRUPT)
		return RING_WAKER_IRQ;
	if (bpf_core_field_exists(current_task->softirq_disable_cnt) && (current_task->softirq_disable_cnt & SERVING_SOFTIRQ))
		return RING_WAKER_SOFTIRQ;
	return depth & SERVING_SOFTIRQ ? RING_WAKER_SOFTIRQ : RING_WAKER_TASK;
}

#endif
