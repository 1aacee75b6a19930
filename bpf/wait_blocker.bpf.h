/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel lock that a task sleeps for, where the kernel marks the task (Linux 6.16, CONFIG_DETECT_HUNG_TASK_BLOCKER,
 * not PREEMPT_RT): then no program runs at contended locks, of which most are spinlocks. The mark is set before the
 * task sleeps and cleared when it has the lock: one look at the switch-out, and one at the end.
 *
 * The kernel does not mark who waits for a percpu-rwsem, nor, if a signal may end the wait, for a rw-semaphore, like
 * most who wait for an mmap_lock. They are found when they leave the CPU, as sleepers are by walks (bpf/walk_lock.bpf.h):
 * the task is in the lock's list, by a node on its stack. The few rw-semaphores for which tasks sleep in state S are not
 * known (exec_update_lock in perf_event_open).
 */
#ifndef RWALKER_BPF_WAIT_BLOCKER_H
#define RWALKER_BPF_WAIT_BLOCKER_H

#include "bpf/wait_filter.bpf.h"
#include "bpf/wait_lock.bpf.h"
#include "bpf/walk_node.bpf.h"

enum {
	WAITER_BYTES = 1024, /* from the program's arguments to the frame of the lock's function */
	WAITER_STEPS = 16, /* to the head of the list: who goes to sleep has just come, or is the first */
};

static __always_inline u64 blocker_of(struct task_struct *task)
{
	const struct task_struct___blocked *blocked = (const void *)task;

	return bpf_core_field_exists(blocked->blocker) ? blocked->blocker : 0;
}

/* --- not marked --- */

struct waiter_search {
	u64 task, at, end; /* of the stack */
	u64 node; /* of the task, in a list; 0: none yet */
	u32 flags; /* LCB_F_* */
};

static __always_inline u64 next_own_word(const struct waiter_search *search)
{
	u32 number = OBJECT_AT_SWITCH;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (!room)
		return 0;
	room->search = (struct stack_search){search->at, search->end, search->task, search->task, 0};
	search_stack(number);
	return room->search.found;
}

static __always_inline bool is_of_percpu(u64 entry)
{
	return object_functions.percpu_wakeup &&
	       word_at(entry + OFFSET_OF(struct wait_queue_entry, func)) == object_functions.percpu_wakeup;
}

/* Returns 1 to stop. */
static long try_waiter(u32 index, void *context)
{
	struct waiter_search *search = context;
	u64 at = next_own_word(search), waiter = at - OFFSET_OF(struct semaphore_waiter, task);
	u64 entry = at - OFFSET_OF(struct wait_queue_entry, private);

	(void)index;
	if (!at)
		return 1;
	search->at = at + sizeof(u64);
	if (is_linked(waiter)) {
		search->node = waiter;
		search->flags = OBJECT_READ(rwsem_waiter, waiter, type) == RWSEM_WAITING_FOR_READ ? LCB_F_READ : LCB_F_WRITE;
	} else if (is_of_percpu(entry)) {
		search->node = entry + OFFSET_OF(struct wait_queue_entry, entry);
		search->flags = percpu_flags(entry);
	}
	return search->node != 0;
}

static __noinline void find_unmarked(struct task_struct *task, struct wait_lock *lock, u64 stack)
{
	struct waiter_search search = {.task = as_number(task), .at = stack, .end = stack + WAITER_BYTES};
	struct queue *queue = queue_of(OBJECT_AT_SWITCH);
	u64 head;

	lock->address = 0;
	bpf_loop(WALK_NODES, try_waiter, &search, 0);
	if (!queue || !search.node)
		return;
	queue->kind = search.flags & LCB_F_PERCPU ? RING_QUEUE_PERCPU : RING_QUEUE_RWSEM;
	measure_queue(queue);
	head = find_head(search.node, queue->owner, WAITER_STEPS);
	if (!queue->kind || !head || !has_waiters(queue->kind, head - queue->head))
		return;
	lock->address = head - queue->head;
	lock->flags = search.flags;
	note_first_owner(lock, task->pid);
}

/* --- at the switch-out, and at the end of the wait --- */

static __always_inline bool sleeps_unmarked(const struct wait_entry *entry)
{
	return (entry->state & (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)) == TASK_UNINTERRUPTIBLE &&
	       !(entry->flags & RING_WAIT_IOWAIT);
}

static __noinline void note_mark(struct task_struct *task, struct wait_lock *lock, u64 mark)
{
	u64 type = mark & BLOCKER_TYPES;

	lock->address = 0;
	if (type > BLOCKER_RWSEM_WRITER)
		return;
	lock->address = mark - type;
	lock->flags = type == BLOCKER_MUTEX	   ? LCB_F_MUTEX :
		      type == BLOCKER_RWSEM_READER ? LCB_F_READ :
		      type == BLOCKER_RWSEM_WRITER ? LCB_F_WRITE :
						     0;
	note_first_owner(lock, task->pid);
}

/* stack: something on the kernel stack. */
static __always_inline void note_blocker(struct task_struct *task, struct wait_entry *entry, const u64 *stack)
{
	u64 mark = blocker_of(task);

	if (UNLIKELY(mark))
		note_mark(task, &entry->lock, mark);
	else if (UNLIKELY(sleeps_unmarked(entry)))
		find_unmarked(task, &entry->lock, as_number(stack));
}

/* What is noted may be of a former wait. The task has not run since this one began. */
static __always_inline bool is_lock_of_wait(struct task_struct *task, const struct wait_entry *entry)
{
	u64 mark = blocker_of(task);

	return mark ? (mark & ~(u64)BLOCKER_TYPES) == entry->lock.address : sleeps_unmarked(entry);
}

#endif
