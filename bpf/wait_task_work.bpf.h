/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Work that a thread does on its way back to user space, in its own context and with no lock held:
 * bpf_task_work of Linux 6.18. The kernel needs an element of a map while one is pending. A
 * thread's element follows from its tid; if another thread has it, the next ones are tried.
 *
 * Later kernels have the function without "_impl", and supply its last argument themselves.
 */
#ifndef RWALKER_BPF_WAIT_TASK_WORK_BPF_H
#define RWALKER_BPF_WAIT_TASK_WORK_BPF_H

#include "bpf/kernel.h"

enum { TASK_WORKS = 4096, TASK_WORK_TRIES = 4 }; /* a power of two */

const volatile bool task_work_plain_name;

struct bpf_task_work {
	__u64 __opaque;
};

struct bpf_map {
	u32 id;
} __attribute__((preserve_access_index));

typedef int (*task_work_callback)(struct bpf_map *map, void *key, void *value);

extern int bpf_task_work_schedule_resume_impl(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					      task_work_callback callback, void *aux__prog) __weak __ksym;
extern int bpf_task_work_schedule_resume(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					 task_work_callback callback) __weak __ksym;
extern void bpf_preempt_disable(void) __weak __ksym;
extern void bpf_preempt_enable(void) __weak __ksym;

struct task_work_place {
	struct bpf_task_work work;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TASK_WORKS);
	__type(key, u32);
	__type(value, struct task_work_place);
} task_works SEC(".maps");

static __always_inline long task_work_try(struct task_struct *task, u32 place, task_work_callback callback)
{
	struct task_work_place *at = bpf_map_lookup_elem(&task_works, &place);

	if (!at)
		return -1;
	return task_work_plain_name ? bpf_task_work_schedule_resume(task, &at->work, &task_works, callback) :
				      bpf_task_work_schedule_resume_impl(task, &at->work, &task_works, callback, NULL);
}

/*
 * Returns true if the callback will run before the task's next instruction in user space. If not,
 * the kernel had a reason.
 */
static __always_inline bool task_work_schedule(struct task_struct *task, task_work_callback callback)
{
	enum { APART = 1021 }; /* threads of one process have tids close to each other */

	for (u32 i = 0; i < TASK_WORK_TRIES; i++)
		if (!task_work_try(task, (task->pid + i * APART) & (TASK_WORKS - 1), callback))
			return true;
	return false;
}

#endif
