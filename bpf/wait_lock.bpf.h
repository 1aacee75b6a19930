/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel lock that a task is about to sleep for, and its owner at that moment. Where the kernel does not mark the
 * task (bpf/wait_blocker.bpf.h), it is noted in the task's entry where the kernel begins to wait for a lock, which is
 * on the contended path only, and forgotten where the kernel has got the lock: a wait in between was for it.
 */
#ifndef RWALKER_BPF_WAIT_LOCK_H
#define RWALKER_BPF_WAIT_LOCK_H

#include "bpf/object.bpf.h"

/*
 * How many tasks are noted to wait for locks of each hash. The end of a wait is told while the lock is held, also for
 * each contended spinlock, and finds 0 here: nothing else may be looked up in the time of others.
 */
enum { LOCK_HASH_BITS = 12 };
static u32 lock_waiters[1 << LOCK_HASH_BITS];

enum { OWNER_FLAGS = 7, OWNER_READS = 1 /* kernel/locking/mutex.c, rwsem.c */ };

static __always_inline u32 *waiters_of(u64 lock)
{
	return &lock_waiters[lock * 0x9e3779b97f4a7c15 >> (64 - LOCK_HASH_BITS)];
}

/* lock 0: none. The only place that changes it. */
static __always_inline void note_lock(struct wait_entry *entry, u64 lock)
{
	u64 former = entry->lock.address;

	if (former == lock) /* a mutex is begun again after each attempt to spin */
		return;
	if (former)
		__sync_fetch_and_add(waiters_of(former), -1);
	if (lock)
		__sync_fetch_and_add(waiters_of(lock), 1);
	entry->lock.address = lock;
}

/* With PREEMPT_RT. The word is copied, because it has flags, and the verifier allows no arithmetic on pointers. */
static __always_inline u64 rt_owner_word(u64 lock, u32 flags)
{
	const struct rwbase_rt *base = (const void *)lock;
	const struct rt_mutex_base *mutex = (const void *)lock;
	u64 word = 0;

	if (flags & (LCB_F_READ | LCB_F_WRITE))
		bpf_probe_read_kernel(&word, sizeof(word), &base->rtmutex.owner);
	else
		bpf_probe_read_kernel(&word, sizeof(word), &mutex->owner);
	return word & ~(u64)OWNER_READS;
}

/*
 * The word in the lock that has its owner and flags; 0 if it is free, or has no owner. Not inline,
 * because code for types that this kernel lacks must stay unreachable.
 */
static __noinline u64 owner_word(u64 lock, u32 flags)
{
	const struct mutex *mutex = NULL;
	const struct rw_semaphore *semaphore = NULL;
	const struct rwbase_rt *base = NULL;
	const u32 rw = LCB_F_READ | LCB_F_WRITE;

	if (flags & LCB_F_RT)
		return bpf_core_field_exists(base->rtmutex) ? rt_owner_word(lock, flags) : 0;
	if (flags & LCB_F_MUTEX && bpf_core_field_exists(mutex->owner))
		return OBJECT_READ(mutex, lock, owner.counter) & ~(u64)OWNER_READS;
	if (flags & rw && !(flags & LCB_F_PERCPU) && bpf_core_field_exists(semaphore->owner))
		return OBJECT_READ(rw_semaphore, lock, owner.counter);
	return 0;
}

/*
 * A reader leaves its name in the lock when it goes: by now it may be gone for good, or be another
 * task. It is reported if it is still a task, but not if it is one of the recorder's own, which
 * read what they record: the last reader is rarely the one that holds the lock.
 */
static __always_inline bool may_be_named(u64 task)
{
	u64 parent = (u64)OBJECT_READ(task_struct, task, real_parent);

	if (!OBJECT_READ(task_struct___owner, task, thread_pid))
		return false;
	return !process_is_own(OBJECT_READ(task_struct, task, tgid), OBJECT_READ(task_struct, parent, tgid));
}

SEPARATE int note_owner(struct wait_lock *lock, u64 address, u32 flags)
{
	u64 word = owner_word(address, flags), task = word & ~(u64)OWNER_FLAGS;

	if (!lock || !task || (word & OWNER_READS && !may_be_named(task)))
		return 0;
	owner_describe(task, &lock->owner);
	lock->held |= HELD_BY_OWNER | (word & OWNER_READS ? HELD_BY_READER : 0);
	return 0;
}

/*
 * With PREEMPT_RT, a writer that waits for the readers to finish already owns the rt-mutex in the
 * lock: it holds up others, but not itself.
 */
static __always_inline void note_first_owner(struct wait_lock *lock, u32 waiter)
{
	lock->held = lock->flags & LCB_F_READ ? HELD_FROM_READING : 0;
	note_owner(lock, lock->address, lock->flags);
	if (lock->owner.tid == waiter)
		lock->held &= ~HELD_BY_OWNER;
}

static __always_inline u32 kind_of_lock(const struct wait_lock *lock, u32 state)
{
	const u32 rw = LCB_F_READ | LCB_F_WRITE;

	if (lock->flags & LCB_F_MUTEX)
		return LOCK_MUTEX;
	if (lock->flags & LCB_F_PERCPU)
		return LOCK_PERCPU_RWSEM;
	if (state & TASK_RTLOCK_WAIT)
		return lock->flags & rw ? LOCK_RWLOCK : LOCK_SPIN;
	if (lock->flags & rw)
		return LOCK_RWSEM;
	return lock->flags & LCB_F_RT ? LOCK_RT_MUTEX : LOCK_SEMAPHORE;
}

static __always_inline bool is_own_mmap_lock(struct task_struct *task, u64 address)
{
	const u64 mm = as_number(TASK_POINTER(task_struct, task, mm));
	const u64 lock = mm + OFFSET_OF(struct mm_struct___mmap_lock, mmap_lock);

	return bpf_core_field_exists(struct mm_struct___mmap_lock, mmap_lock) && mm &&
	       address - lock < bpf_core_type_size(struct rw_semaphore);
}

/* The owner at a look: the first one may have let go. */
static __noinline void look_at_owner(struct wait_lock *lock, u32 waiter)
{
	const u32 first = lock->held & HELD_BY_OWNER ? lock->owner.tid : 0;
	const u64 start = lock->owner.start;

	lock->held &= HELD_FROM_READING;
	note_owner(lock, lock->address, lock->flags);
	if (lock->owner.tid == waiter)
		lock->held &= ~HELD_BY_OWNER;
	if (!(lock->held & HELD_BY_OWNER))
		return;
	lock->held |= HELD_AT_END;
	if (lock->owner.tid != first || lock->owner.start != start)
		lock->held |= HELD_CHANGED;
}

/*
 * Whether the task waited for a lock. The lock's address is on the stack: whoever sleeps for a lock
 * needs it afterwards. A look has a copy of the entry.
 */
static __always_inline bool lock_describe(struct task_struct *task, struct object_room *room,
				      const struct wait_entry *entry, u32 number, struct ring_object *object)
{
	const struct wait_lock *lock = &entry->lock;

	if (!lock->address || !stack_find(task, lock->address, lock->address, number))
		return false;
	if (number == OBJECT_AT_LOOK)
		look_at_owner((struct wait_lock *)lock, task->pid);
	object->kind = OBJECT_LOCK;
	object->place = lock->address;
	object->lock = kind_of_lock(lock, entry->state);
	object->process = is_own_mmap_lock(task, lock->address) ? task->tgid : 0;
	room->beside.held = lock->held;
	room->beside.owner = lock->owner;
	object->beside = lock->held != 0;
	return true;
}

#endif
