/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which descriptor ended a wait in poll() or select(). The kernel knows that one of the files
 * called for the wakeup, and looks for it afterwards. If there is more than one, so do we: by what
 * each has in store. If the call was given one only, that is what it is for, whether the wait is
 * over or not.
 */
#ifndef RWALKER_BPF_OBJECT_POLL_H
#define RWALKER_BPF_OBJECT_POLL_H

#include "bpf/object_poll_queues.bpf.h"
#include "bpf/object_ready.bpf.h"

/*
 * The number of the file, and whether the call was given no other. That there is one file in the
 * queues is no proof: while poll() looks at what it was given, the first time, it may sleep for one
 * of these. False: nothing is known that counts.
 */
static __noinline bool find_polled_number(struct task_struct *task, struct object_room *room, u64 queues, u32 count,
					 u32 call)
{
	struct files_struct *files = files_of(task);
	struct set_search search = {.file = room->polled, .key = room->polled_for, .count = count,
				    .entries = room->polled_entries};
	const bool selects = object_knobs.calls[call & (RING_CALLS - 1)] == RING_CALL_SELECT;

	room->polled_descriptor = 0;
	room->polled_alone = !selects && count == 1;
	if (!files)
		return room->polled_called || room->polled_alone;
	search.table = as_number(room, files->fdt->fd);
	search.most = files->fdt->max_fds;
	if (selects)
		room->polled_alone = find_selected(room, &search, queues) && search.named == 1;
	else
		find_polled(room, &search, queues);
	if (search.found)
		room->polled_descriptor = search.descriptor + 1;
	return room->polled_called || room->polled_alone;
}

/* The call is as that of any other that works with one descriptor. */
static __always_inline void take_only(struct object_room *room, struct ring_object *object)
{
	const u64 call = object->call;
	const u32 context = object->context, flags = object->flags;

	*object = room->beside.object;
	object->call = call;
	object->context = context;
	object->flags = flags;
}

/* True: it is known what ended the wait. */
static __always_inline bool poll_take(struct task_struct *task, struct object_room *room, u32 count, u32 number,
				      struct ring_object *object)
{
	u64 queues = find_queues(task, room, number);

	if (!queues || !find_polled_file(room, queues) ||
	    !find_polled_number(task, room, queues, count, object->call))
		return false;
	ready_take(task, room, room->polled, room->polled_descriptor, number);
	if (room->polled_alone)
		take_only(room, object);
	return room->polled_called;
}

#endif
