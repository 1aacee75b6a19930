/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The wait queues in which a poll() or select() sleeps, on the stack of the sleeper, and the one
 * file in them that matters.
 *
 * This search and its other half (object_poll.bpf.h) are split into functions that are not inline,
 * because together they would need more stack than programs have. For the same reason, results are
 * left in the room.
 */
#ifndef RWALKER_BPF_OBJECT_POLL_QUEUES_H
#define RWALKER_BPF_OBJECT_POLL_QUEUES_H

#include "bpf/object_poll_set.bpf.h"
#include "bpf/object_readable.bpf.h"

enum { POLL_IN = 1, POLL_ENTRIES = 80, POLL_RELICS = 3 };

/* --- the files that are waited for --- */

static __always_inline long poll_look(struct poll_walk *walk, u32 index)
{
	const u64 size = bpf_core_type_size(struct poll_table_entry);
	u64 entry = index < walk->on_stack ? walk->queues + index * size : walk->page + (index - walk->on_stack) * size;
	u64 file = as_number(OBJECT_READ(poll_table_entry, entry, filp));

	if (index >= walk->count)
		return 1;
	if (!index)
		walk->only = file;
	else if (walk->only != file)
		walk->only = 0;
	if (walk->file)
		return !walk->only;
	walk->key = OBJECT_READ(poll_table_entry, entry, key);
	if (file && walk->count > 1 && walk->key & POLL_IN && is_readable(file))
		walk->file = file;
	return 0;
}

static long poll_step(u32 index, void *context)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, context);

	return room ? poll_look(&room->poll, index) : 1;
}

static __always_inline void count_entries(u64 queues, struct poll_walk *walk)
{
	u64 page = as_number(OBJECT_READ(poll_wqueues, queues, table)), end;

	walk->queues = queues + bpf_core_field_offset(struct poll_wqueues, inline_entries);
	walk->count = walk->on_stack = OBJECT_READ(poll_wqueues, queues, inline_index);
	if (!page)
		return;
	end = as_number(OBJECT_READ(poll_table_page, page, entry));
	walk->page = page + bpf_core_field_offset(struct poll_table_page, entries);
	walk->pages = OBJECT_READ(poll_table_page, page, next) ? 1 : 0;
	walk->count += (u32)(end - walk->page) / bpf_core_type_size(struct poll_table_entry);
}

/*
 * The queues whose first entry has the word; 0 if it is a relic on the stack, which its wait queue
 * does not link to.
 */
static __always_inline u64 queues_of(struct task_struct *task, u64 word)
{
	u64 entry = word - bpf_core_field_offset(struct poll_table_entry, wait.func);
	u64 queues = as_number(OBJECT_READ(poll_table_entry, entry, wait.private));
	u64 link = entry + bpf_core_field_offset(struct poll_table_entry, wait.entry);
	u64 next = (u64)OBJECT_READ(poll_table_entry, entry, wait.entry.next);

	if (entry != queues + bpf_core_field_offset(struct poll_wqueues, inline_entries) ||
	    (u64)OBJECT_READ(list_head, next, prev) != link)
		return 0;
	return (u64)OBJECT_READ(poll_wqueues, queues, polling_task) == as_number(task) ? queues : 0;
}

/*
 * The queues in which the task sleeps; 0 if not found. What a kernel does between poll() and the
 * switch is always the same, so they are mostly where they were last time.
 */
static __noinline u64 find_queues(struct task_struct *task, struct object_room *room, u32 number)
{
	const u64 wake = object_functions.poll_wake, end = stack_pointer(task);
	u64 at = end + room->queues_at, from = 0, queues = 0;

	if (!wake || !end || regime_lacks(RING_LACKS_KERNEL_STACKS))
		return 0;
	if (word_at(at) == wake)
		queues = queues_of(task, at);
	for (int i = 0; i <= POLL_RELICS && !queues; i++) {
		at = stack_find_from(task, from, wake, wake, number);
		if (!at)
			return 0;
		queues = queues_of(task, at);
		from = at + sizeof(u64);
	}
	room->queues_at = at - end;
	return queues;
}

/*
 * Returns true if there is a file that matters. If none of the files called for the wakeup, there
 * must be only one.
 */
SEPARATE int find_polled_file(u64 queues, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	struct poll_walk *walk;

	if (!room)
		return false;
	walk = &room->poll;
	*walk = (struct poll_walk){0};
	count_entries(queues, walk);
	bpf_loop(POLL_ENTRIES, poll_step, &number, 0);
	if (walk->pages || walk->count > POLL_ENTRIES)
		walk->only = 0;
	room->polled_called = OBJECT_READ(poll_wqueues, queues, triggered);
	if (walk->only || !room->polled_called)
		walk->file = walk->only;
	room->polled = walk->file;
	room->polled_for = walk->key;
	room->polled_entries = walk->pages ? POLL_NOWHERE - 1 : walk->count;
	return walk->file != 0;
}

#endif
