/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A futex, and the owner of the mutex whose lock word it is. The mutex is in the memory of the
 * process, which can be read only while the thread is still on the CPU: at the switch-out, before
 * it is known whether the wait will be a long one. So it is read only for threads whose last waits
 * were not all brief.
 */
#ifndef RWALKER_BPF_OBJECT_FUTEX_H
#define RWALKER_BPF_OBJECT_FUTEX_H

#include "bpf/filter.bpf.h"
#include "bpf/kernel_tasks.bpf.h"
#include "bpf/object_call.bpf.h"
#include "bpf/object_mapping.bpf.h"
#include "bpf/object_stack.bpf.h"
#include "bpf/user_mutex.h"
#include "bpf/wait_entry.bpf.h"
#include "bpf/wait_owner.bpf.h"

/* --- at the switch-out --- */

#define NOTED_SHARED (1ULL << 32) /* its owner may be in another process */

static __always_inline bool locks_with_inheritance(u32 operation)
{
	const u32 command = operation & FUTEX_COMMANDS;

	return command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
}

/* With priority inheritance, the kernel itself keeps the owner in the lock word. */
static __always_inline u64 inheriting_owner(u64 place)
{
	u32 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (const void *)place) || !(word & FUTEX_WAITERS))
		return 0;
	return word & FUTEX_TID_MASK ? (word & FUTEX_TID_MASK) | NOTED_SHARED : 0;
}

static __always_inline u64 mutex_owner(u64 place, u32 operation, u32 value)
{
	struct user_mutex mutex;

	if (!may_be_mutex(place, operation, value))
		return 0;
	if (bpf_probe_read_user(&mutex, sizeof(mutex), (const void *)place) || !is_mutex(&mutex, operation, value))
		return 0;
	return mutex.owner | (mutex.kind & MUTEX_SHARED ? NOTED_SHARED : 0);
}

/*
 * The thread that holds what the task goes to sleep for: its tid in the task's pid namespace, and
 * NOTED_SHARED; or 0.
 */
static __always_inline u64 futex_owner(const struct call_arguments *with)
{
	const u32 operation = with->values[1];

	return locks_with_inheritance(operation) ? inheriting_owner(with->values[0]) :
						   mutex_owner(with->values[0], operation, with->values[2]);
}

enum { WAIT_NAMED = 4 };

/*
 * Returns true if there is a name to write. Names are looked up only in the first waits after one
 * that got a record: otherwise a program with many futexes and short waits would cause far more
 * look-ups and writes than it has long waits. More than one wait, because the wait for a condition
 * variable is followed by one for its mutex. Only for tasks that are recorded: of all programs that
 * run at a switch, only the first one can use bpf_find_vma(), so another recorder would find
 * nothing.
 */
static __noinline bool note_futex(struct task_struct *prev, struct wait_entry *entry, u64 now)
{
	const struct call_arguments with = call_arguments(prev);

	entry->noted = futex_owner(&with);
	entry->noted_out = now;
	return entry->brief < WAIT_NAMED && !task_is_own(prev) && task_is_wanted(prev) &&
	       mapping_note(prev, with.values[0]);
}

/* --- at the end of the wait --- */

/*
 * The owner held the lock when the wait began, so it must have started before. Its tid may have
 * been reused since.
 */
static __always_inline bool owner_take(struct task_struct *task, struct object_room *room,
				       const struct wait_entry *entry)
{
	const u64 owner = find_thread(task, (u32)entry->noted);

	if (!owner || OBJECT_READ(task_struct, owner, start_time) > entry->out)
		return false;
	if (!(entry->noted & NOTED_SHARED) && OBJECT_READ(task_struct, owner, tgid) != task->tgid)
		return false;
	owner_describe(owner, &room->beside.owner);
	room->beside.held = HELD_BY_OWNER;
	return true;
}

static __always_inline void futex_take(struct task_struct *task, struct object_room *room,
				       const struct wait_entry *entry, const struct call_arguments *with,
				       u32 number, struct ring_object *object)
{
	const u32 command = with->values[1] & FUTEX_COMMANDS, value = with->values[2];

	if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET && command != FUTEX_LOCK_PI &&
	    command != FUTEX_LOCK_PI2 && command != FUTEX_WAIT_REQUEUE_PI)
		return;
	object->kind = OBJECT_FUTEX;
	object->place = with->values[0];
	object->process = task->tgid;
	/* Locks of the C, Go and Rust libraries are 2 while others wait for them, or have the owner and a flag. */
	if (locks_with_inheritance(command) || value == MUTEX_CONTENDED || (value & FUTEX_WAITERS && value != ~0U))
		object->flags |= RING_OBJECT_LOCKED;
	mapping_take(task, object, number);
	if (kernel_has(RING_PART_THREADS) && entry->noted_out == entry->out && entry->noted)
		object->beside = owner_take(task, room, entry);
}

#endif
