/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The number of a file that poll() or select() waits for: from the kernel's copy of what the call was given. */
#ifndef RWALKER_BPF_OBJECT_POLL_SET_H
#define RWALKER_BPF_OBJECT_POLL_SET_H

#include "bpf/kernel_polls.bpf.h"
#include "bpf/object_stack.bpf.h"

enum {
	POLL_ALWAYS = 0x18 /* POLLERR, POLLHUP */, POLL_EVENTS = 0x7fff,
	POLL_ON_STACK = 30, /* N_STACK_PPS: as many pollfds are on the stack, the others elsewhere */
	POLL_SET_WORDS = 39, POLL_NOWHERE = 1 << 16, SELECT_DESCRIPTORS = 1024, SELECT_SETS = 6, SELECT_WORDS = 108,
};

struct set_search {
	u64 table, file; /* table: of the open files */
	u64 sets, size, bits; /* select: of its sets; bits: those of 64 descriptors, */
	u32 first, named, entries; /* from this one on; descriptors in the sets so far, and as many as there may be */
	u64 at; /* of what is searched */
	u32 words, begin; /* poll */
	u32 most, count; /* descriptors that are open, and of which the call knows */
	u32 key, descriptor, found;
};

static __always_inline bool leads_there(struct set_search *search, u32 descriptor)
{
	if (descriptor >= search->most ||
	    (u64)OBJECT_READ(hlist_head, search->table + descriptor * sizeof(u64), first) != search->file)
		return false;
	search->descriptor = descriptor;
	search->found = true;
	return true;
}

/*
 * A word of the stack, from which on there may be: pointer to the next part; count and struct pollfd..., each of these
 * from the second half of a word on. search->begin: of the count. As many numbers as it says may follow.
 */
static long pollfd_step(u32 index, void *context)
{
	struct set_search *search = context;
	const u32 here = search->count < POLL_ON_STACK ? search->count : POLL_ON_STACK;
	u64 words[3], event; /* the one before, the word itself, the one after */

	if (index >= search->words ||
	    bpf_probe_read_kernel(words, sizeof(words), (const void *)(search->at + index * sizeof(u64))))
		return 1;
	if ((u32)words[1] == here && (here == POLL_ON_STACK || !words[0]))
		search->begin = index;
	event = words[2] & POLL_EVENTS;
	return index - search->begin < here && (event | POLL_ALWAYS) == (search->key & POLL_EVENTS) &&
	       leads_there(search, words[1] >> 32);
}

static __always_inline bool search_pollfds(struct set_search *search, u64 at, u32 words)
{
	search->at = at;
	search->words = words;
	search->begin = POLL_NOWHERE;
	bpf_loop(POLL_SET_WORDS, pollfd_step, search, 0);
	return search->found;
}

/* struct poll_list is in the frame of the queues, on one of their sides: always at the same place in one kernel. */
static __always_inline bool find_polled(struct object_room *room, struct set_search *search, u64 queues)
{
	const u64 before = queues - (POLL_SET_WORDS + 2) * sizeof(u64);
	const u32 here = search->count < POLL_ON_STACK ? search->count : POLL_ON_STACK;

	if (search_pollfds(search, queues + room->list_at, here))
		return true;
	if (!search_pollfds(search, before, POLL_SET_WORDS) &&
	    !search_pollfds(search, queues + bpf_core_type_size(struct poll_wqueues), POLL_SET_WORDS))
		return false;
	room->list_at = search->at + search->begin * sizeof(u64) - queues;
	return true;
}

/* The bits that select() was given: six pointers, each a set apart. search->at is left at the first one. */
static long sets_step(u32 index, void *context)
{
	struct set_search *search = context;
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

static __always_inline void search_sets(struct set_search *search, u64 at, u32 words)
{
	search->at = at;
	bpf_loop(words, sets_step, search, 0);
}

/* The lowest bit that is left of the word `bits`. All that select() was given were open then. */
static long bit_step(u32 index, void *context)
{
	struct set_search *search = context;
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

static long bits_step(u32 index, void *context)
{
	struct set_search *search = context;
	const u64 at = search->sets + index * sizeof(u64);

	search->first = index * 64;
	search->bits = word_at(at) | word_at(at + search->size) | word_at(at + 2 * search->size);
	bpf_loop(64, bit_step, search, 0);
	return search->named > search->entries;
}

/*
 * In the frames below that of the queues, always at the same place in one kernel. An earlier call may have left what
 * looks like it, and leads elsewhere: each file that is waited for is in the queues, and none was closed.
 */
static __always_inline bool find_selected(struct object_room *room, struct set_search *search, u64 queues)
{
	search->size = (search->count + 63) / 64 * sizeof(u64);
	search_sets(search, queues + room->sets_at, 1);
	if (!search->sets)
		search_sets(search, queues + bpf_core_type_size(struct poll_wqueues), SELECT_WORDS);
	if (!search->sets)
		return false;
	room->sets_at = search->at - queues;
	if (search->count <= SELECT_DESCRIPTORS)
		bpf_loop((search->count + 63) / 64, bits_step, search, 0);
	search->found = search->found && search->named <= search->entries;
	return search->found;
}

#endif
