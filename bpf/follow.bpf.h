/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descendants of the command: a task is followed if the one that makes it is, also where the kernel makes it for a
 * process (io_uring's workers, which sched_process_fork does not tell). The tracepoint fires in the maker's context
 * before the new task runs, the only place where task storage may be created.
 * Included by one program per object.
 */
#ifndef RWALKER_BPF_FOLLOW_BPF_H
#define RWALKER_BPF_FOLLOW_BPF_H

#include "bpf/filter.bpf.h"

__u64 follow_failed; /* children that could not be marked: no memory */

SEC("tp_btf/task_newtask")
int follow_new(u64 *ctx)
{
	struct task_struct *child = (void *)ctx[0];

	if (!bpf_task_storage_get(&followed, bpf_get_current_task_btf(), 0, 0))
		return 0;
	if (!bpf_task_storage_get(&followed, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		__sync_fetch_and_add(&follow_failed, 1);
	return 0;
}

#endif
