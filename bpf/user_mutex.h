/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a futex is the lock word of a glibc mutex, which has its owner beside it. For BPF programs and the recorder,
 * which provide __u32 and so on. Nothing here reads memory, because how that is done depends on whose it is.
 */
#ifndef RWALKER_BPF_USER_MUTEX_H
#define RWALKER_BPF_USER_MUTEX_H

#include <stdbool.h>

#include <linux/types.h>

enum {
	FUTEX_WAIT, FUTEX_LOCK_PI = 6, FUTEX_WAIT_BITSET = 9, FUTEX_WAIT_REQUEUE_PI = 11, FUTEX_LOCK_PI2 = 13,
	FUTEX_COMMANDS = 0x7f, FUTEX_PRIVATE_FLAG = 0x80, FUTEX_TID_MASK = 0x3fffffff,
};
#define FUTEX_WAITERS 0x80000000u

/* --- pthread_mutex_t of glibc (bits/struct_mutex.h, nptl/pthreadP.h), the same on x86-64 and aarch64 --- */

enum {
	MUTEX_CONTENDED = 2, /* the lock word while others wait; that of a robust mutex has the owner */
	MUTEX_TYPES = 3, MUTEX_RECURSIVE = 1, MUTEX_ADAPTIVE = 3,
	MUTEX_ROBUST = 16, MUTEX_SHARED = 128, MUTEX_ELISION = 256 | 512,
	MOST_USERS = 1 << 20,
};

struct user_mutex {
	__u32 lock, count, owner, users, kind;
	__u16 spins, elision;
	__u64 next, previous; /* in its owner's list of robust mutexes */
};
_Static_assert(sizeof(struct user_mutex) == 40, "as in glibc");

/*
 * The word may be the lock of something else: of stdio, of another language's library, of an rwlock, or part of a
 * condition variable. Each member must have the value that it would have in a mutex that is held.
 */
static inline bool is_mutex(const struct user_mutex *mutex, __u32 operation, __u32 value)
{
	const __u32 known = MUTEX_TYPES | MUTEX_ROBUST | MUTEX_SHARED | MUTEX_ELISION, type = mutex->kind & MUTEX_TYPES;
	const bool robust = mutex->kind & MUTEX_ROBUST; /* it is marked as shared, too */
	const bool shared = mutex->kind & MUTEX_SHARED, private = operation & FUTEX_PRIVATE_FLAG;

	if (!mutex->owner || mutex->owner & ~FUTEX_TID_MASK || mutex->kind & ~known || mutex->lock != value)
		return false;
	if (!mutex->users || mutex->users > MOST_USERS || !!mutex->count != (robust || type == MUTEX_RECURSIVE))
		return false;
	if (mutex->spins && type != MUTEX_ADAPTIVE)
		return false;
	if (robust)
		return mutex->owner == (value & FUTEX_TID_MASK) && mutex->next && mutex->previous;
	return value == MUTEX_CONTENDED && !mutex->next && !mutex->previous && shared == !private;
}

/* Judges by the arguments of the call. */
static inline bool may_be_mutex(__u64 place, __u32 operation, __u32 value)
{
	const __u32 command = operation & FUTEX_COMMANDS;

	return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && place % sizeof(__u64) == 0 &&
	       (value == MUTEX_CONTENDED || value & FUTEX_WAITERS);
}

#endif
