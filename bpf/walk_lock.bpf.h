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
#ifndef RWALKER_BPF_WALK_LOCK_BPF_H
#define RWALKER_BPF_WALK_LOCK_BPF_H

#include "bpf/wait_lock.bpf.h"

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

static long classify_function(u32 index, void *context)
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

static long classify_word(u32 index, void *context)
{
	struct queue *queue = this_queue();
	u64 word;

	(void)context;
	if (!queue || queue->kind || index >= WALK_WORDS)
		return 1;
	word = queue->words[index];
	if (word >= object_functions.locks_start && word < object_functions.locks_end)
		bpf_loop(RING_LOCK_FUNCTIONS, classify_function, &word, 0);
	return 0;
}

/*
 * Judges by the first return address in such a function. A walk over the stack does not have it:
 * the kernel leaves out the functions of locks, like those of the scheduler.
 */
SEPARATE int classify_queue(u64 stack)
{
	struct queue *queue = this_queue();

	if (!queue)
		return 0;
	queue->kind = queue->reads = queue->node = queue->found = 0;
	if (!bpf_probe_read_kernel(queue->words, sizeof(queue->words), (const void *)stack))
		bpf_loop(WALK_WORDS, classify_word, NULL, 0);
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

	classify_queue(stack_pointer(task));
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
