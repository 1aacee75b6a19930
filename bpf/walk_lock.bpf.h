/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which lock of the kernel a sleeping task queues for, and who holds it now, if nobody watched it begin to. The function
 * in which it sleeps says of which kind the lock is. Then the task is in the lock's list, by a node on its kernel stack
 * that has the task's address beside it:
 *
 *     lock's head <--> node of another task <--> node of this task
 *
 * The list leads to the lock. What an earlier wait left on the stack is in no list any more.
 */
#ifndef RWALKER_BPF_WALK_LOCK_H
#define RWALKER_BPF_WALK_LOCK_H

#include "bpf/wait_judge.bpf.h"
#include "bpf/wait_lock.bpf.h"

enum {
	WALK_FRAMES = 8, /* the scheduler's own, and that of the lock's function */
	WALK_NODES = 8,	 /* words on the stack that are the task's address */
	WALK_QUEUE = 512, /* tasks in the list before and after */
};

struct queue { /* of each CPU; in memory, where the verifier does not tell one kind from another */
	u64 frames[WALK_FRAMES];
	u64 kind, reads; /* enum ring_queue; bool */
	u64 owner;	 /* from a node to the task beside it, bytes (may wrap) */
	u64 head;	 /* from the lock to its list's head */
	u64 node, found; /* of the task, 0: unknown; the head */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct queue);
} walk_queues SEC(".maps");

static __always_inline struct queue *this_queue(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&walk_queues, &zero);
}

/* --- of which kind --- */

static __always_inline void judge_frame(struct queue *queue, u64 frame)
{
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < RING_LOCK_FUNCTIONS; i++) {
		const volatile struct ring_lock_function *function = &object_knobs.locks[i];

		if (frame < function->start || frame >= function->end)
			continue;
		queue->kind = function->queue;
		queue->reads = function->reads;
		return;
	}
}

static long judge_one(u32 index, void *context)
{
	struct queue *queue = this_queue();

	(void)context;
	if (!queue || queue->kind || index >= WALK_FRAMES)
		return 1;
	judge_frame(queue, queue->frames[index]);
	return 0;
}

static __noinline void judge_queue(struct task_struct *task, struct queue *queue)
{
	__builtin_memset(queue, 0, sizeof(*queue));
	bpf_get_task_stack(task, queue->frames, sizeof(queue->frames), 0);
	bpf_loop(WALK_FRAMES, judge_one, NULL, 0);
}

/* Not inline, because code for types that this kernel lacks must stay unreachable. */
static __noinline void measure_queue(struct queue *queue)
{
	const struct mutex *mutex = NULL;
	const struct rw_semaphore *rwsem = NULL;

	queue->owner = bpf_core_field_offset(struct mutex_waiter, task);
	if (queue->kind == RING_QUEUE_MUTEX && bpf_core_field_exists(mutex->wait_list)) {
		queue->head = bpf_core_field_offset(struct mutex, wait_list);
	} else if (queue->kind == RING_QUEUE_RWSEM && bpf_core_field_exists(rwsem->wait_list)) {
		queue->head = bpf_core_field_offset(struct rw_semaphore, wait_list);
	} else if (queue->kind == RING_QUEUE_SEMAPHORE) {
		queue->head = bpf_core_field_offset(struct semaphore, wait_list);
	} else if (queue->kind == RING_QUEUE_PERCPU) {
		queue->head = bpf_core_field_offset(struct percpu_rw_semaphore, waiters.head);
		queue->owner = bpf_core_field_offset(struct wait_queue_entry, private) -
			       bpf_core_field_offset(struct wait_queue_entry, entry);
	} else {
		queue->kind = RING_QUEUE_NONE;
	}
}

/* --- the task's node --- */

static __always_inline u64 read_word(u64 address)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)address);
	return word;
}

static __always_inline u64 node_next(u64 node)
{
	return read_word(node + bpf_core_field_offset(struct list_head, next));
}

static __always_inline u64 node_previous(u64 node)
{
	return read_word(node + bpf_core_field_offset(struct list_head, prev));
}

static __always_inline bool is_linked(u64 node)
{
	u64 next = node_next(node), previous = node_previous(node);

	return next && previous && node_previous(next) == node && node_next(previous) == node;
}

struct node_search {
	struct task_struct *task;
	u64 at; /* where to go on on the stack; 0: at its end */
	u32 number; /* of the room */
};

/* The next word on the stack that is the task's address: is it beside a node? 1: yes, or it is the last. */
static long try_node(u32 index, void *context)
{
	struct node_search *search = context;
	u32 number = search->number & 1;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	struct queue *queue = this_queue();
	u64 task, at;

	(void)index;
	if (!room || !queue)
		return 1;
	task = as_number(room, search->task);
	at = stack_find_from(search->task, search->at, task, task, number);
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
	u64 node;
	u32 back;
};

/* It is on the kernel stack of its task. */
static __always_inline bool is_node_of_task(u64 node, u64 owner)
{
	u64 task = read_word(node + owner);
	u64 stack = task ? read_word(task + bpf_core_field_offset(struct task_struct___queued, stack)) : 0;

	return stack && node - stack < MOST_STACK_BYTES;
}

static long queue_step(u32 index, void *context)
{
	struct queue_walk *walk = context;
	struct queue *queue = this_queue();

	(void)index;
	if (!queue || !walk->node)
		return 1;
	if (!is_node_of_task(walk->node, queue->owner)) {
		queue->found = walk->node;
		return 1;
	}
	walk->node = walk->back ? node_previous(walk->node) : node_next(walk->node);
	return 0;
}

static __noinline void find_head(struct queue *queue)
{
	struct queue_walk walk = {.node = queue->node};

	bpf_loop(WALK_QUEUE, queue_step, &walk, 0);
	if (queue->found)
		return;
	walk.node = queue->node;
	walk.back = true;
	bpf_loop(WALK_QUEUE, queue_step, &walk, 0);
}

/* --- the lock --- */

/* Of PREEMPT_RT, where all locks that make their waiters sleep are of this kind; and for futexes with inheritance. */
static __always_inline u64 rt_lock(struct task_struct *task)
{
	struct task_struct___queued *queued = (void *)task;
	u64 waiter;

	if (!bpf_core_field_exists(queued->pi_blocked_on))
		return 0;
	waiter = (u64)queued->pi_blocked_on;
	return waiter ? (u64)OBJECT_READ(rt_mutex_waiter, waiter, lock) : 0;
}

static __always_inline u32 lock_flags(const struct queue *queue)
{
	const u64 entry = queue->node - bpf_core_field_offset(struct wait_queue_entry, entry);

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

static __noinline void find_queue(struct task_struct *task, struct queue *queue, struct wait_lock *lock, u32 number)
{
	struct node_search search = {.task = task, .number = number};

	judge_queue(task, queue);
	if (!queue->kind)
		return;
	measure_queue(queue);
	if (!queue->kind)
		return;
	bpf_loop(WALK_NODES, try_node, &search, 0);
	if (queue->node)
		find_head(queue);
	if (!queue->found)
		return;
	lock->address = queue->found - queue->head;
	lock->flags = lock_flags(queue);
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
	if (!lock->address && queue)
		find_queue(task, queue, lock, number);
	if (lock->address)
		lock_begin(entry, lock->address, lock->flags);
	if (lock->flags == LCB_F_RT && waits_for_futex(task))
		lock->address = 0; /* its object is the futex */
}

#endif
