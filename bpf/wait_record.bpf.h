/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The record of a wait: its fixed part, its object, and the sleeper's kernel stack. */
#ifndef RWALKER_BPF_WAIT_RECORD_H
#define RWALKER_BPF_WAIT_RECORD_H

#include "bpf/wait_object.bpf.h"
#include "bpf/wait_user.bpf.h"
#include "bpf/wait_waker.bpf.h"

_Static_assert(sizeof(struct ring_wait) + sizeof(struct ring_waker) + sizeof(struct ring_object) +
			       sizeof(struct ring_beside) + sizeof(struct ring_throttle) + sizeof(u64) <=
		       RING_HEAD_ROOM,
	       "the largest record fits the scratch");

/* Upper limit. */
static __always_inline u64 object_bytes(void)
{
	return object_knobs.on ? sizeof(struct ring_object) + sizeof(struct ring_beside) : 0;
}

/* Copies the frames that were looked at for the object. Returns their length, 0: there are none. */
static __always_inline u64 known_stack(struct ring_wait *record, u64 at, u32 number)
{
	const struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 bytes = room ? room->frame_bytes : 0;

	if (!bytes || bytes > sizeof(room->frames) || bpf_probe_read_kernel((void *)record + at, bytes, room->frames))
		return 0;
	record->kernel_count = bytes / 8u;
	return bytes;
}

/* at: where it goes in the record; number: of the room. */
static __always_inline u64 wait_stack(struct task_struct *task, struct ring_wait *record, u64 at, u32 number)
{
	const u64 room = knobs.max_frames * 8;
	long bytes;

	bytes = object_knobs.on ? known_stack(record, at, number) : 0;
	if (bytes)
		return bytes;
	bytes = bpf_get_task_stack(task, (void *)record + at, room, 0);
	if (bytes <= 0)
		return 0;
	if (bytes == room)
		record->flags |= RING_WAIT_KERNEL_TRUNCATED;
	record->kernel_count = bytes / 8u;
	return bytes;
}

/* All but the object and the kernel stack. Returns the record's length so far. */
static __always_inline u64 fill_wait(struct task_struct *task, const struct wait_entry *entry, u64 now, u32 flags,
				     struct ring_wait *record)
{
	u64 length = sizeof(*record);

	record->head = head_of(RING_WAIT, now, wait_knobs.source);
	record->out = record->out_key = entry->out;
	record->state = entry->state;
	record->wait_class = entry->wait_class;
	record->out_cpu = entry->out_cpu;
	record->flags = flags | (entry->flags & ENTRY_COPIED);
	record->kernel_count = 0;
	task_describe(task, &record->task);
	if (wait_knobs.wakers) {
		record->flags |= RING_WAIT_HAS_WAKER;
		fill_waker(entry, (struct ring_waker *)record->rest);
		length += sizeof(struct ring_waker);
	}
	if (object_knobs.on)
		record->flags |= RING_WAIT_HAS_OBJECT;
	return length;
}

/* at: where it goes in the record. Returns its length. */
static __always_inline u64 fill_throttle(const struct wait_entry *entry, u64 at, struct ring_wait *record)
{
	if (LIKELY(!(entry->head & WAIT_HEAD_THROTTLED)))
		return 0;
	record->flags |= RING_WAIT_THROTTLED;
	*(struct ring_throttle *)((void *)record + at) = entry->throttle;
	return sizeof(struct ring_throttle);
}

/* The name to be written before the wait; NULL if there is none. */
static __always_inline struct ring_name *name_of(struct task_struct *task, struct object_room *room,
						 const struct ring_wait *record)
{
	if (!room->name.token)
		return NULL;
	room->name.head = head_of(RING_NAME, record->head.time, wait_knobs.source);
	task_describe(task, &room->name.task);
	return &room->name;
}

/* Fills the object and what is beside it, if anything. Returns their length. */
static __always_inline u64 fill_object(struct task_struct *task, const struct wait_entry *entry, bool known, u32 number,
				       struct ring_wait *record, struct ring_name **ret_name)
{
	struct ring_object *object = (void *)record->rest + (wait_knobs.wakers ? sizeof(struct ring_waker) : 0);
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);

	*ret_name = NULL;
	if (!object_knobs.on)
		return 0;
	if (room)
		room->frame_bytes = 0;
	__builtin_memset(object, 0, sizeof(*object));
	if (!room || !known || entry->wait_class != WAIT_BLOCKED)
		return sizeof(*object);
	object_describe(task, object, entry, record->head.time, room, number);
	object_lasts(object, record->out);
	*ret_name = name_of(task, room, record);
	if (!object->beside)
		return sizeof(*object);
	*(struct ring_beside *)(object + 1) = room->beside;
	return sizeof(*object) + sizeof(struct ring_beside);
}

#endif
