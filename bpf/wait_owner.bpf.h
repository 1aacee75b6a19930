/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The owner of what another task waits for. */
#ifndef RWALKER_BPF_WAIT_OWNER_H
#define RWALKER_BPF_WAIT_OWNER_H

#include "bpf/kernel_files.bpf.h"
#include "bpf/ring_event.h"

/* task: an address. */
static __always_inline void owner_describe(u64 task, struct ring_task *owner)
{
	owner->start = OBJECT_READ(task_struct, task, start_boottime);
	owner->tgid = OBJECT_READ(task_struct, task, tgid);
	owner->tid = OBJECT_READ(task_struct, task, pid);
	owner->kernel_thread = !!(OBJECT_READ(task_struct, task, flags) & PF_KTHREAD);
	bpf_probe_read_kernel(owner->comm, sizeof(owner->comm), ((struct task_struct *)task)->comm);
}

#endif
