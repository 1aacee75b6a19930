/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The descriptor of a file that select() waits for, from the kernel's copy of what the call was given. */
#ifndef RWALKER_BPF_OBJECT_SELECT_SET_H
#define RWALKER_BPF_OBJECT_SELECT_SET_H

#include "bpf/object_poll_set.bpf.h"

enum { SELECT_DESCRIPTORS = 1024, SELECT_SETS = 6, SELECT_WORDS = 108 };

/*
 * Looks for the sets that select() was given: six pointers, each one set's size after the last.
 * Leaves search->at at the first one.
 */
static __always_inline long look_for_sets(struct set_search *search, u32 index)
{
	u64 words[SELECT_SETS], apart = search->size;

	if (index)
		search->at += sizeof(u64);
	if (bpf_probe_read_kernel(words, sizeof(words), (const void *)search->at))
		return 1;
	if (!words[0] || words[1] - words[0] != apart || words[2] - words[1] != apart ||
	    words[3] - words[2] != apart || words[4] - words[3] != apart || words[5] - words[4] != apart)
		return 0;
	search->sets = words[0];
	return 1;
}

static long sets_step(u32 index, void *context)
{
	struct set_search *search = this_set(context);

	return search ? look_for_sets(search, index) : 1;
}

static __always_inline void search_sets(struct set_search *search, u64 at, u32 words, u32 number)
{
	search->at = at;
	bpf_loop(words, sets_step, &number, 0);
}

/* Takes the lowest bit that is left in `bits`. All descriptors that select() was given were open at that time. */
static __always_inline long take_lowest(struct set_search *search)
{
	const u64 bits = search->bits, lowest = bits & ~(bits - 1);
	const u32 descriptor = search->first + __builtin_popcountll(lowest - 1);

	if (!bits || descriptor >= search->count)
		return 1;
	search->bits = bits ^ lowest;
	search->named++;
	if (descriptor >= search->most || !OBJECT_READ(hlist_head, search->table + descriptor * sizeof(u64), first))
		search->named = POLL_NOWHERE;
	else if (!search->found)
		(void)leads_there(search, descriptor);
	return search->named > search->entries;
}

static long bit_step(u32 index, void *context)
{
	struct set_search *search = this_set(context);

	(void)index;
	return search ? take_lowest(search) : 1;
}

static long bits_step(u32 index, void *context)
{
	struct set_search *search = this_set(context);
	u64 at;

	if (!search)
		return 1;
	at = search->sets + index * sizeof(u64);
	search->first = index * 64;
	search->bits = word_at(at) | word_at(at + search->size) | word_at(at + 2 * search->size);
	bpf_loop(64, bit_step, context, 0);
	return search->named > search->entries;
}

/*
 * The sets are in the frames that called that of the queues, always at the same place in one
 * kernel. What an earlier call left may look like them, and lead elsewhere. In the real ones, each
 * file that is waited for is in the queues, and no descriptor was closed.
 */
static __always_inline bool find_selected(struct object_room *room, u64 queues, u32 number)
{
	struct set_search *search = &room->set;

	search->size = (search->count + 63) / 64 * sizeof(u64);
	search_sets(search, queues + room->sets_at, 1, number);
	if (!search->sets)
		search_sets(search, queues + bpf_core_type_size(struct poll_wqueues), SELECT_WORDS, number);
	if (!search->sets)
		return false;
	room->sets_at = search->at - queues;
	if (search->count <= SELECT_DESCRIPTORS)
		bpf_loop((search->count + 63) / 64, bits_step, &number, 0);
	search->found = search->found && search->named <= search->entries;
	return search->found;
}

#endif
