/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a sleeping thread is in its system call's own work. It may have to wait before the call begins (seccomp,
 * ptrace), for memory meanwhile (a page fault, reclaim), or after the call is over (the freezer, memory.high). The
 * functions among its frames tell. If some frames are missing, nothing is told.
 */
#ifndef RWALKER_BPF_OBJECT_FRAMES_H
#define RWALKER_BPF_OBJECT_FRAMES_H

#include "bpf/object_room.bpf.h"
#include "bpf/budget.bpf.h"

struct mark_search {
	const u64 *frames;
	u32 count, marks;
};

/* The number of the last function that does not begin after this address; without branches, of which there are many. */
static __always_inline u64 function_of(u64 address)
{
	u64 at = 0;

	for (u32 bit = RING_MARKED_BITS; bit--;) {
		at += (object_functions.starts[at + (1 << bit)] - address - 1) >> 63 << bit;
		barrier_var(at);
		at &= RING_MARKED_FUNCTIONS - (1 << bit); /* for 6.1's verifier */
	}
	return at;
}

static long mark_frame(u32 index, struct mark_search *search)
{
	u64 before, at; /* before: a return address may be the first byte of the next function */

	if (index >= search->count || index >= OBJECT_FRAMES)
		return 1;
	before = search->frames[index] - 1;
	at = function_of(before);
	if (UNLIKELY(before - object_functions.starts[at] < object_functions.marked[at].bytes))
		search->marks |= object_functions.marked[at].mark;
	return 0;
}

/* Leaves the frames in the room, and sets room->marks. */
static __always_inline void frames_take(struct task_struct *task, struct object_room *room)
{
	const u32 most = object_knobs.max_frames < OBJECT_FRAMES ? object_knobs.max_frames : OBJECT_FRAMES;
	struct mark_search search = {.frames = room->frames};
	long bytes;

	room->marks = RING_MARK_UNKNOWN;
	bytes = bpf_get_task_stack(task, room->frames, sizeof(room->frames), 0);
	if (bytes <= 0 || bytes >= most * sizeof(u64))
		return;
	room->frame_bytes = bytes;
	search.count = bytes / sizeof(u64);
	bpf_loop(search.count, mark_frame, &search, 0);
	room->marks = object_functions.marks_known ? *(volatile u32 *)&search.marks : RING_MARK_UNKNOWN;
}

#endif
