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

#include "bpf/wait.bpf.h"
#include "bpf/walk_lock.bpf.h"

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

static __always_inline bool is_of_percpu(u64 entry)
{
	return object_functions.percpu_wakeup &&
	       word_at(entry + OFFSET_OF(struct wait_queue_entry, func)) == object_functions.percpu_wakeup;
}

/* Looks at the next word of the stack that is the task's address. Returns 1 to stop: it is beside a node, or the last. */
static long try_waiter(u32 index, void *context)
{
	u32 number = OBJECT_AT_SWITCH;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	struct queue *queue = queue_of(number);
	u64 at, node;

	(void)index;
	(void)context;
	search_stack(number);
	if (!room || !queue || !room->search.found)
		return 1;
	at = room->search.found;
	room->search.at = at + sizeof(u64);
	room->search.found = 0;
	node = at - OFFSET_OF(struct semaphore_waiter, task);
	if (is_linked(node)) {
		queue->kind = RING_QUEUE_RWSEM;
		queue->reads = OBJECT_READ(rwsem_waiter, node, type) == RWSEM_WAITING_FOR_READ;
		queue->node = node;
	}
	at -= OFFSET_OF(struct wait_queue_entry, private);
	if (is_of_percpu(at)) {
		queue->kind = RING_QUEUE_PERCPU;
		queue->node = at + OFFSET_OF(struct wait_queue_entry, entry);
	}
	return queue->node != 0;
}

/* A word near the node: the lock, if the waiter to which it leads is this task's, or the next one, the ring's first. */
static long try_word(u32 index, void *context)
{
	u32 number = OBJECT_AT_SWITCH;
	const struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	struct queue *queue = queue_of(number);
	u64 place, first;

	(void)context;
	if (!room || !queue || index >= OBJECT_WORDS)
		return 1;
	place = room->words[index] + queue->head;
	first = word_at(place);
	if (!first || (first != queue->node && first != node_next(queue->node)) || is_node_of_task(place, queue->owner))
		return 0;
	queue->found = place;
	return 1;
}

/* Where the list has no head, the lock is found as by walks. */
static __noinline void find_ring(struct queue *queue, struct object_room *room)
{
	queue->found = 0;
	if (!bpf_probe_read_kernel(room->words, sizeof(room->words),
				   (const void *)(queue->node - sizeof(room->words) / 2)))
		bpf_loop(OBJECT_WORDS, try_word, NULL, 0);
}

static __noinline void find_unmarked(struct task_struct *task, struct wait_lock *lock, u64 stack)
{
	u32 number = OBJECT_AT_SWITCH;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	struct queue *queue = queue_of(number);
	u64 end = kernel_stack_end(task);

	lock->address = 0;
	if (!room || !queue)
		return;
	if (end > stack + WAITER_BYTES)
		end = stack + WAITER_BYTES;
	room->search = (struct stack_search){stack, end, as_number(task), as_number(task), 0};
	queue->node = 0;
	bpf_loop(WALK_NODES, try_waiter, NULL, 0);
	if (!queue->node)
		return;
	measure_queue(queue);
	if (queue->ring)
		find_ring(queue, room);
	else
		queue->found = find_head(queue->node, queue->owner, WAITER_STEPS);
	if (set_lock(queue, lock))
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

/* Before a wait is written: what is noted may be of an earlier one. The task has not run since this one began. */
static __noinline void forget_former_lock(struct task_struct *task, struct wait_entry *entry)
{
	u64 mark = blocker_of(task);

	if (mark ? (mark & ~(u64)BLOCKER_TYPES) != entry->lock.address : !sleeps_unmarked(entry))
		entry->lock.address = 0;
}

#endif
