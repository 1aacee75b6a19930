/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descendants of the command: a child is followed if the forking task is. The tracepoint fires in
 * the parent's context before the child runs, the only place where task storage may be created.
 * Included by one program per object.
 */
#ifndef RWALKER_BPF_FOLLOW_BPF_H
#define RWALKER_BPF_FOLLOW_BPF_H

#include "bpf/filter.bpf.h"

__u64 follow_failed; /* children that could not be marked: no memory */

SEC("tp_btf/sched_process_fork")
int follow_fork(u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];

	if (!bpf_task_storage_get(&followed, parent, 0, 0))
		return 0;
	if (!bpf_task_storage_get(&followed, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		__sync_fetch_and_add(&follow_failed, 1);
	return 0;
}

#endif
