/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a sleeping thread is in its system call's own work. It may have to wait before the call begins (seccomp,
 * ptrace), for memory meanwhile (a page fault, reclaim), or after the call is over (the freezer, memory.high). The
 * functions among its frames tell. If some frames are missing, nothing is told.
 */
#ifndef RWALKER_BPF_OBJECT_FRAMES_H
#define RWALKER_BPF_OBJECT_FRAMES_H

#include "bpf/object_room.bpf.h"

/* The functions come in ascending order; unused ones are at the end of the address space. */
static long mark_frame(u32 index, void *context)
{
	u32 number = *(u32 *)context, at = 0;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 before; /* a return address may be the first byte of the next function */

	if (!room || index >= OBJECT_FRAMES)
		return 1;
	before = room->frames[index] - 1;
	if (index * sizeof(u64) >= room->frame_bytes)
		return 1;
	for (u32 step = RING_MARKED_FUNCTIONS / 2; step; step /= 2)
		if (before >= object_functions.marked[(at + step) & (RING_MARKED_FUNCTIONS - 1)].start)
			at += step;
	at &= RING_MARKED_FUNCTIONS - 1;
	if (before >= object_functions.marked[at].start && before < object_functions.marked[at].end)
		room->marks |= object_functions.marked[at].mark;
	return 0;
}

/* Leaves the frames in the room, and sets room->marks. */
static __always_inline void frames_take(struct task_struct *task, struct object_room *room, u32 number)
{
	const u32 most = object_knobs.max_frames < OBJECT_FRAMES ? object_knobs.max_frames : OBJECT_FRAMES;
	long bytes;

	room->marks = RING_MARK_UNKNOWN;
	if (regime_lacks(RING_LACKS_KERNEL_STACKS))
		return;
	bytes = bpf_get_task_stack(task, room->frames, sizeof(room->frames), 0);
	if (bytes <= 0 || bytes >= most * sizeof(u64))
		return;
	room->frame_bytes = bytes;
	room->marks = object_functions.marks_known ? 0 : RING_MARK_UNKNOWN;
	bpf_loop(OBJECT_FRAMES, mark_frame, &number, 0);
}

#endif
