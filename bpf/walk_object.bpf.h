/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a walked task sleeps for: as for waits (bpf/wait_object.bpf.h), but nobody saw the task go
 * to sleep. So what waits note at that time is searched for now: the lock (bpf/walk_lock.bpf.h).
 * And a file whose descriptor other threads could close counts only if it is on the task's stack.
 */
#ifndef RWALKER_BPF_WALK_OBJECT_H
#define RWALKER_BPF_WALK_OBJECT_H

#include "bpf/wait_object.bpf.h"
#include "bpf/ring_walk.h"
#include "bpf/walk_lock.bpf.h"

struct walk_object {
	u64 switches; /* of the task so far, as in its row */
	struct wait_entry entry; /* of the task's present wait, as far as that is known */
	struct ring_object object;
};

/* One reader at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct walk_object);
} walk_objects SEC(".maps");

static __always_inline bool is_asleep(struct task_struct *task)
{
	return task->__state && !(task->__state & TASK_DEAD) && !task->exit_state && !task->on_cpu && !is_queued(task);
}

/* The kernel knows the owner of a futex with inheritance, too. */
static __always_inline void owner_of_futex(struct object_room *room, const struct wait_lock *lock,
					   struct ring_object *object)
{
	room->beside.held = lock->held;
	room->beside.owner = lock->owner;
	object->beside = lock->held != 0;
}

static __noinline void take_all(struct task_struct *task, struct walk_object *walked, struct object_room *room)
{
	struct wait_entry *entry = &walked->entry;

	__builtin_memset(&walked->object, 0, sizeof(walked->object));
	walked->switches = task->nvcsw + task->nivcsw;
	/* rt_mutexes do not tell what kind of lock they are */
	entry->state = state_or_frozen(task, task->__state) & ~TASK_RTLOCK_WAIT;
	entry->out = 1; /* not equal to noted_out: nobody noted the file */
	find_lock(task, entry, OBJECT_AT_LOOK);
	object_take(task, &walked->object, entry, bpf_ktime_get_ns(), room, OBJECT_AT_LOOK);
	if (walked->object.kind == OBJECT_FUTEX && entry->lock.held)
		owner_of_futex(room, &entry->lock, &walked->object);
}

/*
 * Called before the row is filled, because the verifier follows each path through that, and would
 * follow all of this for each of them. Returns NULL if the task does not sleep.
 */
static __always_inline struct walk_object *walk_object(struct task_struct *task)
{
	u32 zero = 0, number = OBJECT_AT_LOOK;
	struct walk_object *walked = bpf_map_lookup_elem(&walk_objects, &zero);
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (!walked || !room || !is_asleep(task))
		return NULL;
	take_all(task, walked, room);
	return walked;
}

/*
 * Sets the row's flags for what is to be written after its frames. Returns false if the object is
 * of another moment.
 */
static __always_inline bool join_walk_object(struct ring_walk_task *row, struct walk_object *walked)
{
	u32 number = OBJECT_AT_LOOK;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 out = row->bound == WAIT_EXACT ? row->time - row->wait : ~0ULL;

	if (!room || row->switches != walked->switches || row->flags & (WALK_TASK_ON_CPU | WALK_TASK_QUEUED))
		return false;
	object_lasts(&walked->object, out);
	row->flags |= RING_WALK_OBJECT | (walked->object.beside ? RING_WALK_BESIDE : 0) |
		      (room->name.token ? RING_WALK_NAME : 0);
	return true;
}

/* Called after the row is written. Returns true if there was room for all of it. */
static __always_inline bool write_walk_object(struct seq_file *seq, const struct ring_walk_task *row,
					      const struct walk_object *walked)
{
	u32 number = OBJECT_AT_LOOK;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	if (!room || bpf_seq_write(seq, &walked->object, sizeof(walked->object)))
		return false;
	if (row->flags & RING_WALK_BESIDE && bpf_seq_write(seq, &room->beside, sizeof(room->beside)))
		return false;
	if (!(row->flags & RING_WALK_NAME))
		return true;
	if (bpf_seq_write(seq, &room->name, sizeof(room->name)))
		return false;
	note_told(room->name.token);
	return true;
}

#endif
