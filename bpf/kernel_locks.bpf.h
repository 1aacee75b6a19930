/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's locks, as bpf/kernel.h has the rest of the kernel: who holds them, of which kind they are. */
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

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct lock_word {
	s64 counter;
};

struct mutex {
	struct lock_word owner;
};

struct rw_semaphore {
	struct lock_word owner;
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

#pragma clang attribute pop

#endif
