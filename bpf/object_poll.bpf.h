/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which descriptor ended a wait in poll() or select(). The kernel only knows that one of the files
 * called for the wakeup, and looks for it afterwards. If there is more than one file, so do we: for
 * one that has something in store. If the call was given only one, the wait is for that one,
 * whether it is over or not.
 */
#ifndef RWALKER_BPF_OBJECT_POLL_H
#define RWALKER_BPF_OBJECT_POLL_H

#include "bpf/object_poll_queues.bpf.h"
#include "bpf/object_ready.bpf.h"
#include "bpf/object_select_set.bpf.h"

/*
 * Finds the file's descriptor, and whether the call was given no other. One file in the queues is
 * no proof of that: when poll() looks at its files for the first time, it may sleep for one of
 * them. Returns false if nothing is known that counts.
 */
SEPARATE int find_polled_number(u64 files, u64 queues, u32 count, u32 call, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	const bool selects = object_knobs.calls[call & (RING_CALLS - 1)] == RING_CALL_SELECT;
	u64 table = (u64)OBJECT_READ(files_struct, files, fdt);

	if (!room)
		return false;
	room->polled_descriptor = 0;
	room->polled_alone = !selects && count == 1;
	if (!files)
		return room->polled_called || room->polled_alone;
	room->set = (struct set_search){.file = room->polled, .key = room->polled_for, .count = count,
					.entries = room->polled_entries, .most = OBJECT_READ(fdtable, table, max_fds)};
	room->set.table = as_number(OBJECT_READ(fdtable, table, fd));
	if (selects)
		room->polled_alone = find_selected(room, queues, number) && room->set.named == 1;
	else
		find_polled(room, queues, number);
	if (room->set.found)
		room->polled_descriptor = room->set.descriptor + 1;
	return room->polled_called || room->polled_alone;
}

/* Makes the call look like any other that works with one descriptor. */
static __always_inline void take_only(struct object_room *room, struct ring_object *object)
{
	const u64 call = object->call;
	const u32 context = object->context, flags = object->flags;

	*object = room->beside.object;
	object->call = call;
	object->context = context;
	object->flags = flags;
}

/* Returns true if it is known what ended the wait. */
static __always_inline bool poll_take(struct task_struct *task, struct object_room *room, u32 count, u32 number,
				      struct ring_object *object)
{
	u64 queues = find_queues(task, room, number);

	if (!queues || !find_polled_file(queues, number) ||
	    !find_polled_number(as_number(files_of(task)), queues, count, object->call, number))
		return false;
	ready_take(task, room, room->polled, room->polled_descriptor, number);
	if (room->polled_alone)
		take_only(room, object);
	return room->polled_called;
}

#endif
