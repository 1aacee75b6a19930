/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a process's mm lock could be taken for reading without waiting (kernel/locking/rwsem.c,
 * rwbase_rt.c, unchanged since 6.1). Only looks at the lock; does not take it.
 */
#ifndef RWALKER_BPF_MM_LOCK_BPF_H
#define RWALKER_BPF_MM_LOCK_BPF_H

#include "bpf/kernel.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mm_struct___lock {
	struct {
		struct {
			s64 counter;
		} count;
	} mmap_lock;
};

struct mm_struct___lock_rt { /* PREEMPT_RT */
	struct {
		struct {
			struct {
				s32 counter;
			} readers;
		} rwbase;
	} mmap_lock;
};

#pragma clang attribute pop

/* Whether the lock is held for writing, or has waiters. mm: an address. */
SEPARATE int mm_is_busy(u64 mm)
{
	const s64 writer = 1, waiters = 2, handoff = 4;
	const struct mm_struct___lock_rt *rt = (const void *)mm;
	const struct mm_struct___lock *lock = (const void *)mm;
	s64 count;

	if (bpf_core_field_exists(rt->mmap_lock.rwbase))
		return BPF_CORE_READ(rt, mmap_lock.rwbase.readers.counter) >= 0; /* the readers' bias is gone */
	count = BPF_CORE_READ(lock, mmap_lock.count.counter);
	return count < 0 || count & (writer | waiters | handoff);
}

#endif
