/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel lock that a sleeping task queues for, and who holds it now, if nobody saw the task
 * begin to wait. The kind of lock follows from the function in which the task sleeps. The task is
 * in the lock's list, by a node on its kernel stack that has the task's address beside it:
 *
 *     lock's head <--> node of another task <--> node of this task
 *
 * The list leads to the lock. Where it has no head, a word of the lock's function that has one of the ring is the lock.
 * A node that an earlier wait left on the stack is in no list any more.
 */
#ifndef RWALKER_BPF_WALK_LOCK_H
#define RWALKER_BPF_WALK_LOCK_H

#include "bpf/wait_judge.bpf.h"
#include "bpf/wait_lock.bpf.h"
#include "bpf/walk_node.bpf.h"

/*
 * The rt-mutex that the task waits for. With PREEMPT_RT, all locks that make their waiters sleep
 * are of this kind; so are those of futexes with inheritance.
 */
static __always_inline u64 rt_lock(struct task_struct *task)
{
	struct task_struct___queued *queued = (void *)task;
	u64 waiter;

	if (!bpf_core_field_exists(queued->pi_blocked_on))
		return 0;
	waiter = (u64)queued->pi_blocked_on;
	return waiter ? as_number(OBJECT_READ(rt_mutex_waiter, waiter, lock)) : 0;
}

static __noinline void find_queue(struct task_struct *task, struct queue *queue, struct wait_lock *lock, u32 number)
{
	struct node_search search = {.task = task, .number = number};

	judge_queue(stack_pointer(task));
	if (!queue->kind)
		return;
	measure_queue(queue);
	if (!queue->kind)
		return;
	bpf_loop(WALK_NODES, try_node, &search, 0);
	if (queue->node && queue->ring)
		find_ringed();
	else if (queue->node)
		queue->found = find_head(queue->node, queue->owner, WALK_QUEUE);
	(void)set_lock(queue, lock);
}

static __always_inline bool waits_for_futex(struct task_struct *task)
{
	long call;

	return in_system_call(task, &call) && call < RING_CALLS &&
	       object_knobs.calls[call & (RING_CALLS - 1)] == RING_CALL_FUTEX;
}

/* Sets entry->lock. */
static __noinline void find_lock(struct task_struct *task, struct wait_entry *entry, u32 number)
{
	struct wait_lock *lock = &entry->lock;
	struct queue *queue = this_queue();

	lock->held = 0;
	lock->flags = LCB_F_RT;
	lock->address = rt_lock(task);
	if (kernel_has(RING_PART_LOCKS) && !lock->address && queue)
		find_queue(task, queue, lock, number);
	if (lock->address)
		note_first_owner(lock, task->pid);
	if (lock->flags == LCB_F_RT && waits_for_futex(task))
		lock->address = 0; /* the futex is its object */
}

#endif
