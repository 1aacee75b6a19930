/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A sleeping task's place in the queue for a lock (bpf/walk_lock.bpf.h): its own node, and the head of the list. */
#ifndef RWALKER_BPF_WALK_NODE_H
#define RWALKER_BPF_WALK_NODE_H

#include "bpf/wait_entry.bpf.h"
#include "bpf/walk_queue.bpf.h"

/* --- the task's node --- */

static __always_inline u64 node_next(u64 node)
{
	return word_at(node + OFFSET_OF(struct list_head, next));
}

static __always_inline u64 node_previous(u64 node)
{
	return word_at(node + OFFSET_OF(struct list_head, prev));
}

static __always_inline bool is_linked(u64 node)
{
	u64 next = node_next(node), previous = node_previous(node);

	return next && previous && node_previous(next) == node && node_next(previous) == node;
}

struct node_search {
	struct task_struct *task;
	u64 at; /* where to continue on the stack; 0: at its end */
	u32 number; /* of the room */
};

/*
 * Finds the next word on the stack that is the task's address, and checks whether it is beside a
 * node. Returns 1 to stop: it is, or there are no more such words.
 */
static long try_node(u32 index, void *context)
{
	struct node_search *search = context;
	const u64 task = as_number(search->task);
	struct queue *queue = this_queue();
	u64 at;

	(void)index;
	if (!queue)
		return 1;
	at = stack_find_from(search->task, search->at, task, task, search->number);
	if (!at)
		return 1;
	search->at = at + sizeof(u64);
	if (!is_linked(at - queue->owner))
		return 0;
	queue->node = at - queue->owner;
	return 1;
}

/* --- the list's head --- */

struct queue_walk {
	u64 node, owner, head;
	u32 back;
};

/* Whether the node is on the kernel stack of its task. */
static __always_inline bool is_node_of_task(u64 node, u64 owner)
{
	u64 task = word_at(node + owner);
	u64 stack = task ? word_at(task + OFFSET_OF(struct task_struct___queued, stack)) : 0;

	return stack && node - stack < MOST_STACK_BYTES;
}

static long queue_step(u32 index, void *context)
{
	struct queue_walk *walk = context;

	(void)index;
	if (!walk->node)
		return 1;
	if (!is_node_of_task(walk->node, walk->owner)) {
		walk->head = walk->node;
		return 1;
	}
	walk->node = walk->back ? node_previous(walk->node) : node_next(walk->node);
	return 0;
}

/* Of the list that this node is in, unless it is more than so many nodes away in both directions; 0. */
static __noinline u64 find_head(u64 node, u64 owner, u32 steps)
{
	struct queue_walk walk = {.node = node, .owner = owner};

	bpf_loop(steps, queue_step, &walk, 0);
	if (walk.head)
		return walk.head;
	walk.node = node;
	walk.back = true;
	bpf_loop(steps, queue_step, &walk, 0);
	return walk.head;
}

/* --- a lock that has one of the ring --- */

/* Not inline, because code for types that this kernel lacks must stay unreachable. */
static __noinline bool has_waiters(u64 kind, u64 lock)
{
	const struct mutex *mutex = NULL;
	const struct rw_semaphore *rwsem = NULL;

	if (kind == RING_QUEUE_MUTEX && bpf_core_field_exists(mutex->owner))
		return OBJECT_READ(mutex, lock, owner.counter) & MUTEX_FLAG_WAITERS;
	if (kind == RING_QUEUE_RWSEM && bpf_core_field_exists(rwsem->count))
		return OBJECT_READ(rw_semaphore, lock, count.counter) & RWSEM_FLAG_WAITERS;
	return true;
}

struct ring_walk_to {
	u64 node;
	u32 found;
};

static long ring_step(u32 index, void *context)
{
	struct ring_walk_to *walk = context;
	struct queue *queue = this_queue();

	(void)index;
	if (!queue || !walk->node)
		return 1;
	walk->found = walk->node == queue->node;
	if (!walk->found)
		walk->node = node_next(walk->node);
	return walk->found;
}

/* A word of the lock's function: a waiter is in the ring of this task's node if it leads there. No node is a lock. */
static long try_lock(u32 index, void *context)
{
	struct queue *queue = this_queue();
	struct ring_walk_to walk = {};
	u64 place;

	(void)context;
	if (!queue || index >= WALK_WORDS)
		return 1;
	place = queue->words[index] + queue->head;
	walk.node = word_at(place);
	if (!walk.node || is_node_of_task(place, queue->owner) || !is_node_of_task(walk.node, queue->owner) ||
	    !has_waiters(queue->kind, queue->words[index]))
		return 0;
	bpf_loop(WALK_QUEUE, ring_step, &walk, 0);
	if (walk.found)
		queue->found = place;
	return walk.found;
}

static __noinline void find_ringed(void)
{
	bpf_loop(WALK_WORDS, try_lock, NULL, 0);
}

/* --- the lock --- */

static __always_inline u32 lock_flags(const struct queue *queue)
{
	const u64 entry = queue->node - OFFSET_OF(struct wait_queue_entry, entry);

	switch (queue->kind) {
	case RING_QUEUE_MUTEX:
		return LCB_F_MUTEX;
	case RING_QUEUE_RWSEM:
		return queue->reads ? LCB_F_READ : LCB_F_WRITE;
	case RING_QUEUE_PERCPU:
		return LCB_F_PERCPU |
		       (OBJECT_READ(wait_queue_entry, entry, flags) & WQ_FLAG_CUSTOM ? LCB_F_READ : LCB_F_WRITE);
	default:
		return 0;
	}
}

/* Of a queue whose head was found; false if it is none of a lock. */
static __always_inline bool set_lock(const struct queue *queue, struct wait_lock *lock)
{
	if (!queue->kind || !queue->found || !has_waiters(queue->kind, queue->found - queue->head))
		return false;
	lock->address = queue->found - queue->head;
	lock->flags = lock_flags(queue);
	return true;
}

#endif
