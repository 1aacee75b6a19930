/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a system call waits for, by its number and arguments. */
#ifndef RWALKER_BPF_OBJECT_NATIVE_H
#define RWALKER_BPF_OBJECT_NATIVE_H

#include "bpf/object_call.bpf.h"
#include "bpf/object_descriptor.bpf.h"
#include "bpf/object_futex.bpf.h"
#include "bpf/object_polled.bpf.h"
#include "bpf/object_sleep.bpf.h"

enum { WAITID_PID = 1 };

/* The child's pid is known only if the task is in the initial pid namespace. */
static __always_inline void child_take(struct task_struct *task, s32 child, struct ring_object *object)
{
	const struct pid *pid = TASK_POINTER(task_struct___files, task, thread_pid);

	object->kind = OBJECT_CHILD;
	if (kernel_has(RING_PART_THREADS) && pid && child > 0 && !OBJECT_READ(pid, (u64)pid, level))
		object->process = child;
}

/* How a parent in vfork() sleeps (kernel/fork.c), and in those calls nothing else. */
static __always_inline bool is_vfork_state(u32 state)
{
	const u32 all = TASK_UNINTERRUPTIBLE | TASK_WAKEKILL | TASK_FREEZABLE;

	return (state & all) == all;
}

static __always_inline void call_take(struct task_struct *task, struct object_room *room,
				      const struct wait_entry *entry, u32 number, u64 now, struct ring_object *object)
{
	const struct call_arguments with = call_arguments(task);

	switch (object_knobs.calls[object->call & (RING_CALLS - 1)]) {
	case RING_CALL_DESCRIPTOR:
		if (kernel_has(RING_PART_FILES))
			descriptor_take(task, room, entry, with.values[0], number, object);
		break;
	case RING_CALL_FUTEX:
		futex_take(task, room, entry, &with, number, object);
		break;
	case RING_CALL_WAIT4:
		child_take(task, with.values[0], object);
		break;
	case RING_CALL_WAITID:
		child_take(task, with.values[0] == WAITID_PID ? with.values[1] : 0, object);
		break;
	case RING_CALL_CLONE:
		if (is_vfork_state(entry->state))
			object->kind = OBJECT_CHILD;
		break;
	case RING_CALL_POLL:
	case RING_CALL_SELECT:
		if (kernel_has(RING_PART_FILES))
			polled_take(task, room, entry, number, object);
		break;
	case RING_CALL_SLEEP:
		sleep_take(task, number, now, object);
		break;
	}
}

#endif
