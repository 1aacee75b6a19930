/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a wait was for, by the system call's number and arguments. Read at its end, before the task runs on: its system
 * call is still the one in which it waited.
 */
#ifndef RWALKER_BPF_WAIT_OBJECT_BPF_H
#define RWALKER_BPF_WAIT_OBJECT_BPF_H

#include "bpf/object_files.bpf.h"
#include "bpf/object_futex.bpf.h"
#include "bpf/wait_lock.bpf.h"

/*
 * The timer is on the stack. It was set just before the task left the CPU, and will wake it up, or has just done so and
 * forgotten the task. A word that an earlier call left on the stack may look like it, and timers of other clocks count
 * from another time: the intended length of the sleep is then unknown.
 */
static __always_inline void sleep_describe(struct task_struct *task, u32 number, u64 now, struct ring_object *object)
{
	const u64 wakeup = object_functions.timer_wakeup, most = 1ULL << 60;
	u64 at = wakeup ? stack_find_again(task, wakeup, wakeup, number, object->call) : 0, sleeper, expires;

	object->kind = OBJECT_SLEEP;
	if (!at || !kernel_has(RING_PART_SLEEP))
		return;
	at -= OFFSET_OF(struct hrtimer, function);
	sleeper = (u64)OBJECT_READ(hrtimer_sleeper, at, task);
	expires = OBJECT_READ(hrtimer, at, _softexpires);
	if (sleeper ? sleeper == as_number(task) && expires < most : expires <= now)
		object->asked = expires;
}

enum { WAITID_PID = 1 };

/* The child's pid is known only if the task is in the initial pid namespace. */
static __always_inline void child_describe(struct task_struct *task, s32 child, struct ring_object *object)
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

static __always_inline void call_describe(struct task_struct *task, struct object_room *room,
					  const struct wait_entry *entry, u32 number, u64 now, struct ring_object *object)
{
	const struct call_arguments with = call_arguments(task);

	switch (object_knobs.calls[object->call & (RING_CALLS - 1)]) {
	case RING_CALL_DESCRIPTOR:
		if (kernel_has(RING_PART_FILES))
			descriptor_describe(task, room, entry, with.values[0], number, object);
		break;
	case RING_CALL_FUTEX:
		futex_describe(task, room, entry, &with, number, object);
		break;
	case RING_CALL_WAIT4:
		child_describe(task, with.values[0], object);
		break;
	case RING_CALL_WAITID:
		child_describe(task, with.values[0] == WAITID_PID ? with.values[1] : 0, object);
		break;
	case RING_CALL_CLONE:
		if (is_vfork_state(entry->state))
			object->kind = OBJECT_CHILD;
		break;
	case RING_CALL_POLL:
	case RING_CALL_SELECT:
		if (kernel_has(RING_PART_FILES))
			polled_describe(task, room, entry, number, object);
		break;
	case RING_CALL_SLEEP:
		sleep_describe(task, number, now, object);
		break;
	}
}

static __always_inline void worker_describe(struct task_struct *task, struct ring_object *object)
{
	u64 kthread = (u64)TASK_POINTER(task_struct___files, task, worker_private);
	u64 worker = kthread && task->flags & PF_WQ_WORKER ? (u64)OBJECT_READ(kthread, kthread, data) : 0;

	if (!worker)
		return;
	object->place = (u64)OBJECT_READ(worker, worker, current_func);
	if (object->place)
		object->kind = OBJECT_WORK;
}

/*
 * At the switch-out of a thread whose last waits were not all brief: notes what could not be known
 * at the end of the wait. Returns true if there is a name to write.
 */
static __always_inline bool note_object(struct task_struct *prev, struct wait_entry *entry, u64 now)
{
	u32 kind;
	long call;

	if (!in_system_call(prev, &call) || call >= RING_CALLS)
		return false;
	kind = object_knobs.calls[call & (RING_CALLS - 1)];
	if (kernel_has(RING_PART_FILES) && kind == RING_CALL_DESCRIPTOR)
		note_file(prev, entry, now);
	if (kind == RING_CALL_POLL || kind == RING_CALL_SELECT)
		note_polled(prev, entry, kind, now);
	return kind == RING_CALL_FUTEX && note_futex(prev, entry, now);
}

/*
 * Waits for anything but files and devices are sleeps that signals interrupt. Otherwise, something
 * in the kernel itself was in the way, perhaps another thread in the same call.
 */
static __always_inline bool is_for_object(const struct ring_object *object, u32 state)
{
	return state & TASK_INTERRUPTIBLE || object->kind == OBJECT_FILE || object->kind == OBJECT_DEVICE ||
	       object->kind == OBJECT_BLOCK || (object->kind == OBJECT_CHILD && is_vfork_state(state));
}

/*
 * Small, because it is on the stack of a switch. So it does not have the number of the room: each
 * room has its own step.
 */
struct object_describing {
	struct task_struct *task;
	struct ring_object *object;
	const struct wait_entry *entry;
};

static __always_inline void what_describe(const struct object_describing *describing, struct object_room *room, u32 number)
{
	const u32 state = describing->entry->state;
	struct ring_object *object = describing->object;
	long call;

	begin_object(room);
	frames_read(describing->task, room);
	(void)in_system_call(describing->task, &call);
	object->context = context_of_call(describing->task, state, room->marks);
	if (object->context == WAIT_IN_CALL || object->context == WAIT_IN_COMPAT_CALL)
		object->call = call;
	if (lock_describe(describing->task, room, describing->entry, number, object))
		return;
	if (object->context == WAIT_IN_KERNEL_THREAD)
		worker_describe(describing->task, object);
	if (object->context == WAIT_IN_CALL && object->call < RING_CALLS && !room->marks)
		call_describe(describing->task, room, describing->entry, number, room->now, object);
	if (object->context != WAIT_IN_CALL && object->context != WAIT_IN_COMPAT_CALL)
		return;
	if (!is_for_object(object, state)) {
		object->kind = OBJECT_NONE;
		room->name.token = 0;
	} else if (kernel_has(RING_PART_FILES) && kernel_has(RING_PART_EPOLL) && object->kind == OBJECT_EPOLL) {
		object->beside = epoll_describe(describing->task, room, number);
	}
}

static long describe_at_switch(u32 index, struct object_describing *describing)
{
	u32 number = OBJECT_AT_SWITCH;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	(void)index;
	if (room)
		what_describe(describing, room, OBJECT_AT_SWITCH);
	return 1;
}

static long describe_at_look(u32 index, struct object_describing *describing)
{
	u32 number = OBJECT_AT_LOOK;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	(void)index;
	if (room)
		what_describe(describing, room, OBJECT_AT_LOOK);
	return 1;
}

/*
 * For a blocked task that is not on a CPU; *object is zeroed. now: CLOCK_MONOTONIC; number: of the
 * room, which may get a name to be written before the wait. To be followed by object_lasts().
 */
static __always_inline void object_describe(struct task_struct *task, struct ring_object *object,
					    const struct wait_entry *entry, u64 now, struct object_room *room, u32 number)
{
	struct object_describing describing = {.task = task, .object = object, .entry = entry};

	room->now = now;
	if (number == OBJECT_AT_SWITCH)
		ONE_WAY_OUT(describe_at_switch, &describing);
	else
		ONE_WAY_OUT(describe_at_look, &describing);
}

/* Replaces the time when a sleep was to end by how long it was to last. out: when it began. */
static __always_inline void object_lasts(struct ring_object *object, u64 out)
{
	if (object->kind == OBJECT_SLEEP)
		object->asked = object->asked > out ? object->asked - out : 0;
}

#endif
