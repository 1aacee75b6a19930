/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a stopped thread leaves unread. Its call was waiting for a descriptor, or for an epoll, when
 * the signal came; by now there is something to read. The descriptor may have referred to something
 * else then: this is the file that it refers to now, in a process that does not run.
 */
#ifndef RWALKER_BPF_OBJECT_UNREAD_H
#define RWALKER_BPF_OBJECT_UNREAD_H

#include "bpf/object_readable.bpf.h"
#include "bpf/object_ready.bpf.h"

static __always_inline bool is_epoll(u64 file)
{
	u64 inode = (u64)OBJECT_READ(file, file, f_inode);
	u64 block = (u64)OBJECT_READ(inode, inode, i_sb);

	return OBJECT_READ(super_block, block, s_magic) == ANON_INODE_FS_MAGIC &&
	       anonymous_kind_of(file) == RING_OBJECT_EPOLL;
}

/* An epoll's ready list was empty when the thread went to sleep. */
static __noinline bool unread_take(struct task_struct *task, struct object_room *room, u32 number,
					long call)
{
	struct files_struct *files = files_of(task);
	u32 descriptor;
	u64 file;

	if (call < 0 || call >= RING_CALLS || is_compat(task) || !files ||
	    object_knobs.calls[call & (RING_CALLS - 1)] != RING_CALL_DESCRIPTOR)
		return false;
	descriptor = call_arguments(task).values[0];
	file = find_file(files, descriptor);
	if (file && is_epoll(file)) {
		u64 poll = poll_of_epoll(file);

		file = file_of_first(poll, first_ready(poll), &descriptor);
		file = file && still_leads(task, descriptor, file) ? file : 0;
	}
	if (!file || !is_readable(file))
		return false;
	ready_take(task, room, file, descriptor + 1, number);
	return true;
}

#endif
