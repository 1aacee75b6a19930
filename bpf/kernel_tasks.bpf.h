/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds a thread by its tid in the pid namespace of a process, as bpf_task_from_vpid() does, which
 * is new in 6.14.
 */
#ifndef RWALKER_BPF_KERNEL_TASKS_H
#define RWALKER_BPF_KERNEL_TASKS_H

#include "bpf/kernel_calls.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct hlist_node {
	struct hlist_node *next;
};

struct xarray {
	void *xa_head;
};

struct idr {
	struct xarray idr_rt;
};

struct pid_namespace {
	struct idr idr;
};

struct upid {
	struct pid_namespace *ns;
};

struct pid___numbers {
	struct hlist_head tasks[1];
	struct upid numbers[1];
};

struct xa_node { /* include/linux/xarray.h */
	u8 shift;
	void *slots[1];
};

struct task_struct___links {
	struct hlist_node pid_links[1];
};

#pragma clang attribute pop

/* A pointer to a node, in a slot of the tree or in its head, has this mark; tids have at most 22 bits. */
enum { XA_NODE = 2, XA_MARKS = 3, XA_SLOTS = 64, XA_LEVELS = 4 };

static __always_inline u64 find_pid(u64 head, u32 number)
{
	u64 at = head, slots;
	u32 shift;

	for (int i = 0; i < XA_LEVELS && (at & XA_MARKS) == XA_NODE; i++) {
		at -= XA_NODE;
		shift = OBJECT_READ(xa_node, at, shift);
		if (shift > 31 || (!i && number >> shift >= XA_SLOTS))
			return 0;
		slots = at + OFFSET_OF(struct xa_node, slots);
		slots += (number >> shift & (XA_SLOTS - 1)) * 8ULL;
		at = as_number(OBJECT_READ(hlist_head, slots, first));
	}
	return at & XA_MARKS ? 0 : at;
}

/* The address of the thread with that tid in the pid namespace of the struct pid `own`; 0 if there is none. */
SEPARATE u64 find_numbered(u64 own, u32 number)
{
	u64 place = own + OFFSET_OF(struct pid___numbers, numbers), space, head, pid, link;

	if (!own || !number)
		return 0;
	place += (u64)OBJECT_READ(pid, own, level) * bpf_core_type_size(struct upid);
	space = as_number(OBJECT_READ(upid, place, ns));
	if (!space)
		return 0;
	head = as_number(OBJECT_READ(pid_namespace, space, idr.idr_rt.xa_head));
	pid = find_pid(head, number);
	if (!pid)
		return 0;
	link = pid + OFFSET_OF(struct pid___numbers, tasks);
	link = as_number(OBJECT_READ(hlist_head, link, first));
	return link ? link - OFFSET_OF(struct task_struct___links, pid_links) : 0;
}

static __always_inline u64 find_thread(struct task_struct *task, u32 number)
{
	return find_numbered(as_number(TASK_POINTER(task_struct___files, task, thread_pid)), number);
}

#endif
