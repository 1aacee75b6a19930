/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kind of lock that a sleeping task queues for. It follows from the function in which the task sleeps. */
#ifndef RWALKER_BPF_WALK_QUEUE_H
#define RWALKER_BPF_WALK_QUEUE_H

#include "bpf/kernel_locks.bpf.h"
#include "bpf/object_stack.bpf.h"

enum {
	WALK_WORDS = 64, /* from the stack pointer on: frames of the scheduler, then that of the lock's function */
	WALK_NODES = 8,	 /* words on the stack that are the task's address */
	WALK_QUEUE = 512, /* tasks in the list before and after */
};

struct queue { /* one for each CPU; in memory, where the verifier does not distinguish kinds */
	u64 words[WALK_WORDS];
	u64 kind, reads, ring; /* enum ring_queue; bool; bool: there is no head */
	u64 owner;	 /* from a node to the task beside it, bytes (may wrap) */
	u64 head;	 /* from the lock to the head of its list, or to where it has one of the ring */
	u64 node, found; /* of the task, 0: unknown; the head */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OBJECT_ROOMS);
	__type(key, u32);
	__type(value, struct queue);
} walk_queues SEC(".maps");

static __always_inline struct queue *queue_of(u32 number)
{
	return bpf_map_lookup_elem(&walk_queues, &number);
}

static __always_inline struct queue *this_queue(void)
{
	return queue_of(OBJECT_AT_LOOK);
}

static long judge_function(u32 index, void *context)
{
	const struct ring_lock_function *function;
	struct queue *queue = this_queue();
	const u64 word = *(const u64 *)context;

	if (!queue || index >= RING_LOCK_FUNCTIONS)
		return 1;
	function = &object_functions.locks[index];
	if (word < function->start || word >= function->end)
		return 0;
	queue->kind = function->queue;
	queue->reads = function->reads;
	return 1;
}

static long judge_word(u32 index, void *context)
{
	struct queue *queue = this_queue();
	u64 word;

	(void)context;
	if (!queue || queue->kind || index >= WALK_WORDS)
		return 1;
	word = queue->words[index];
	if (word >= object_functions.locks_start && word < object_functions.locks_end)
		bpf_loop(RING_LOCK_FUNCTIONS, judge_function, &word, 0);
	return 0;
}

/*
 * Judges by the first return address in such a function. A walk over the stack does not have it:
 * the kernel leaves out the functions of locks, like those of the scheduler.
 */
SEPARATE int judge_queue(u64 stack)
{
	struct queue *queue = this_queue();

	if (!queue)
		return 0;
	queue->kind = queue->reads = queue->node = queue->found = 0;
	if (!bpf_probe_read_kernel(queue->words, sizeof(queue->words), (const void *)stack))
		bpf_loop(WALK_WORDS, judge_word, NULL, 0);
	return 0;
}

/* Not inline, because code for types that this kernel lacks must stay unreachable. */
#define MEASURE_QUEUE(type)                                                                       \
	static __noinline void measure_##type(struct queue *queue)                                \
	{                                                                                         \
		const struct type *listed = NULL;                                                 \
		const struct type##___ring *ringed = NULL;                                        \
                                                                                                  \
		queue->ring = !bpf_core_field_exists(listed->wait_list);                          \
		if (!queue->ring)                                                                 \
			queue->head = bpf_core_field_offset(struct type, wait_list);              \
		else if (bpf_core_field_exists(ringed->first_waiter))                             \
			queue->head = bpf_core_field_offset(struct type##___ring, first_waiter);  \
		else                                                                              \
			queue->kind = RING_QUEUE_NONE;                                            \
	}
MEASURE_QUEUE(mutex)
MEASURE_QUEUE(rw_semaphore)
MEASURE_QUEUE(semaphore)

static __noinline void measure_percpu(struct queue *queue)
{
	const struct percpu_rw_semaphore *lock = NULL;
	const struct wait_queue_head *head = NULL;
	const struct wait_queue_entry *entry = NULL;

	if (!bpf_core_field_exists(lock->waiters) || !bpf_core_field_exists(head->head) ||
	    !bpf_core_field_exists(entry->private) || !bpf_core_field_exists(entry->entry) ||
	    !bpf_core_field_exists(entry->flags)) {
		queue->kind = RING_QUEUE_NONE;
		return;
	}
	queue->ring = false;
	queue->head = bpf_core_field_offset(struct percpu_rw_semaphore, waiters.head);
	queue->owner = (u64)bpf_core_field_offset(struct wait_queue_entry, private) -
		       (u64)bpf_core_field_offset(struct wait_queue_entry, entry);
}

static __noinline void measure_queue(struct queue *queue)
{
	const struct semaphore_waiter *waiter = NULL;

	if (queue->kind == RING_QUEUE_PERCPU)
		return measure_percpu(queue);
	if (!bpf_core_field_exists(waiter->task)) {
		queue->kind = RING_QUEUE_NONE;
		return;
	}
	queue->owner = bpf_core_field_offset(struct semaphore_waiter, task);
	if (queue->kind == RING_QUEUE_MUTEX)
		measure_mutex(queue);
	else if (queue->kind == RING_QUEUE_RWSEM)
		measure_rw_semaphore(queue);
	else
		measure_semaphore(queue);
}

#endif
