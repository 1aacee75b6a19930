/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Like bpf/kernel.h, for the kernel's locks: their owners and kinds. */
#ifndef RWALKER_BPF_KERNEL_LOCKS_H
#define RWALKER_BPF_KERNEL_LOCKS_H

#include "bpf/kernel_files.bpf.h"

/* include/trace/events/lock.h, the same from 6.1 on */
#define LCB_F_SPIN 1
#define LCB_F_READ 2
#define LCB_F_WRITE 4
#define LCB_F_RT 8
#define LCB_F_PERCPU 16
#define LCB_F_MUTEX 32

/*
 * Flag of an entry in the queue of a percpu-rwsem: it reads. 8 before 6.7; the other meanings of 4
 * and 8 never occur there.
 */
#define WQ_FLAG_CUSTOM (4 | 8)
#define MOST_STACK_BYTES 65536

/* include/linux/hung_task.h; those of rw-semaphores since 6.17 */
#define BLOCKER_MUTEX 0
#define BLOCKER_SEMAPHORE 1
#define BLOCKER_RWSEM_READER 2
#define BLOCKER_RWSEM_WRITER 3
#define BLOCKER_TYPES 7 /* locks are aligned to 8 bytes: a bit that has no meaning yet is not one of the address */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#define MUTEX_FLAG_WAITERS 1	/* of the owner */
#define RWSEM_FLAG_WAITERS 2	/* of the count */

struct lock_word {
	s64 counter;
};

struct list_head {
	struct list_head *next, *prev;
};

struct mutex {
	struct lock_word owner;
	struct list_head wait_list;
};

struct rw_semaphore {
	struct lock_word count, owner;
	struct list_head wait_list;
};

struct semaphore {
	struct list_head wait_list;
};

/* Since 7.1 (and without a list's head): waiters are in a ring, of which the lock has one. */
struct mutex___ring {
	void *first_waiter;
};

struct rw_semaphore___ring {
	void *first_waiter;
};

struct semaphore___ring {
	void *first_waiter;
};

struct semaphore_waiter { /* mutex_waiter and rwsem_waiter begin like this; PREEMPT_RT lacks them */
	struct list_head list;
	struct task_struct *task;
};

enum rwsem_waiter_type { /* kernel/locking/rwsem.c; for CO-RE, the member must be an enum as well */
	RWSEM_WAITING_FOR_WRITE,
	RWSEM_WAITING_FOR_READ,
};

struct rwsem_waiter {
	enum rwsem_waiter_type type;
};

struct wait_queue_head {
	struct list_head head;
};

struct wait_queue_entry {
	unsigned int flags;
	void *private, *func;
	struct list_head entry;
};

struct percpu_rw_semaphore {
	struct wait_queue_head waiters;
};

struct rt_mutex_waiter {
	struct rt_mutex_base *lock;
};

struct rt_mutex_base {
	void *owner;
};

struct rwbase_rt {
	struct rt_mutex_base rtmutex;
};

struct mm_struct___mmap_lock {
	struct rw_semaphore mmap_lock;
};

struct task_struct___owner {
	struct pid *thread_pid;
};

struct task_struct___queued {
	void *stack;
	struct rt_mutex_waiter *pi_blocked_on;
};

struct task_struct___blocked {
	unsigned long blocker; /* the lock's address | BLOCKER_*; since 6.16 */
};

#pragma clang attribute pop

#endif
