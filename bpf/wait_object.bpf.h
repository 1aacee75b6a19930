/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a wait was for, read at its end, before the task runs on: its call is still the one in which it waited. */
#ifndef RWALKER_BPF_WAIT_OBJECT_H
#define RWALKER_BPF_WAIT_OBJECT_H

#include "bpf/object_call.bpf.h"
#include "bpf/object_descriptor.bpf.h"
#include "bpf/object_futex.bpf.h"
#include "bpf/object_page.bpf.h"
#include "bpf/object_poll.bpf.h"
#include "bpf/object_sleep.bpf.h"
#include "bpf/object_unread.bpf.h"
#include "bpf/wait_lock.bpf.h"

enum { WAITID_PID = 1 };

static __always_inline void worker_take(struct task_struct *task, struct ring_object *object)
{
	u64 kthread = (u64)((struct task_struct___files *)task)->worker_private;
	u64 worker = kthread && task->flags & PF_WQ_WORKER ? (u64)OBJECT_READ(kthread, kthread, data) : 0;

	if (!worker)
		return;
	object->place = (u64)OBJECT_READ(worker, worker, current_func);
	if (object->place)
		object->kind = RING_OBJECT_WORK;
}

/* The child's number is known if it is in the namespace of the first process. */
static __always_inline void child_take(struct task_struct *task, s32 child, struct ring_object *object)
{
	struct pid *pid = ((struct task_struct___files *)task)->thread_pid;

	object->kind = RING_OBJECT_CHILD;
	if (pid && child > 0 && !OBJECT_READ(pid, (u64)pid, level))
		object->process = child;
}

/*
 * At the switch-out of a thread whose last waits were not all brief: what could not be known at their end. Whether
 * a name is to be written.
 */
static __always_inline bool note_object(struct task_struct *prev, struct wait_entry *entry, u64 now)
{
	u32 kind;
	long call;

	if (!in_system_call(prev, &call) || call >= RING_CALLS)
		return false;
	kind = object_knobs.calls[call & (RING_CALLS - 1)];
	if (kind == RING_CALL_DESCRIPTOR)
		note_file(prev, entry, now);
	return kind == RING_CALL_FUTEX && note_futex(prev, entry, now);
}

/*
 * All but files and devices are waited for in a sleep that signals interrupt. Otherwise something in the kernel itself
 * was in the way, perhaps another thread in the same call.
 */
static __always_inline bool is_for_object(const struct ring_object *object, u32 state)
{
	return state & TASK_INTERRUPTIBLE || object->kind == RING_OBJECT_FILE || object->kind == RING_OBJECT_DEVICE ||
	       object->kind == RING_OBJECT_BLOCK;
}

static __always_inline void call_take(struct task_struct *task, struct object_room *room,
				      const struct wait_entry *entry, u32 number, u64 now, struct ring_object *object)
{
	const struct call_arguments with = call_arguments(task);

	switch (object_knobs.calls[object->call & (RING_CALLS - 1)]) {
	case RING_CALL_DESCRIPTOR:
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
	case RING_CALL_SLEEP:
		sleep_take(task, room, number, now, object);
		break;
	}
}

/* In one place for both, because the verifier looks at each as long as at all else. */
static __always_inline bool poll_call_take(struct task_struct *task, struct object_room *room, u32 number,
					   struct ring_object *object)
{
	const struct call_arguments with = call_arguments(task);
	const u32 kind = object_knobs.calls[object->call & (RING_CALLS - 1)];

	if (kind != RING_CALL_POLL && kind != RING_CALL_SELECT)
		return false;
	object->beside = poll_take(task, room, with.values[kind == RING_CALL_POLL], number, object);
	return true;
}

/*
 * Of a blocked task that is not on a CPU; *object is zeroed. now: CLOCK_MONOTONIC; number: of the room, in which a name
 * may be that is to be written before the wait. To be followed by object_lasts().
 */
static __noinline void object_take(struct task_struct *task, struct ring_object *object,
				   const struct wait_entry *entry, u64 now, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	long call;

	if (!room)
		return;
	begin_object(room);
	(void)in_system_call(task, &call);
	object->context = context_of_call(task, entry->state, call);
	if (object->context == RING_CALL_NATIVE || object->context == RING_CALL_COMPAT)
		object->call = call;
	if (lock_take(task, room, entry, number, object))
		return;
	if (object->context == RING_CALL_KERNEL_THREAD)
		worker_take(task, object);
	if (object->context == RING_CALL_STOPPED)
		object->beside = unread_take(task, room, number, call);
	if (object->context == RING_CALL_NATIVE && object->call < RING_CALLS) {
		object->flags = call_is_endless(task, object->call) ? RING_OBJECT_ENDLESS : 0;
		if (!poll_call_take(task, room, number, object))
			call_take(task, room, entry, number, now, object);
	}
	if (entry->state & TASK_UNINTERRUPTIBLE && object_knobs.page_wake && page_take(task, number, object))
		return;
	if (object->context != RING_CALL_NATIVE && object->context != RING_CALL_COMPAT)
		return;
	if (!is_for_object(object, entry->state)) {
		object->kind = RING_OBJECT_NONE;
		room->name.token = 0;
	} else if (object->kind == RING_OBJECT_EPOLL) {
		object->beside = epoll_take(task, room, number);
	}
}

/* Makes of when a sleep was to end how long it was to be. out: when it began. */
static __always_inline void object_lasts(struct ring_object *object, u64 out)
{
	if (object->kind == RING_OBJECT_SLEEP)
		object->asked = object->asked > out ? object->asked - out : 0;
}

#endif
