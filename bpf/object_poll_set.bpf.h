/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The descriptor of a file that poll() waits for, from the kernel's copy of what the call was given. */
#ifndef RWALKER_BPF_OBJECT_POLL_SET_H
#define RWALKER_BPF_OBJECT_POLL_SET_H

#include "bpf/kernel_polls.bpf.h"
#include "bpf/object_stack.bpf.h"

enum {
	POLL_ALWAYS = 0x18 /* POLLERR, POLLHUP */, POLL_EVENTS = 0x7fff,
	POLL_ON_STACK = 30, /* N_STACK_PPS: the first pollfds, which are on the stack; the others are elsewhere */
	POLL_SET_WORDS = 39, POLL_NOWHERE = 1 << 16,
};

static __always_inline struct set_search *this_set(const u32 *number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, number);

	return room ? &room->set : NULL;
}

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
 * Looks at a word of the stack, which may be in a struct poll_list: the pointer to the next part,
 * the count, and the pollfds, each of which starts in the second half of a word. search->begin: the
 * word with the count. At most that many pollfds follow.
 */
static __always_inline long look_at_pollfd(struct set_search *search, u32 index)
{
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

static long pollfd_step(u32 index, void *context)
{
	struct set_search *search = this_set(context);

	return search ? look_at_pollfd(search, index) : 1;
}

static __always_inline bool search_pollfds(struct set_search *search, u64 at, u32 words, u32 number)
{
	search->at = at;
	search->words = words;
	search->begin = POLL_NOWHERE;
	bpf_loop(POLL_SET_WORDS, pollfd_step, &number, 0);
	return search->found;
}

/* struct poll_list is in the frame of the queues, before or after them: always at the same place in one kernel. */
static __always_inline bool find_polled(struct object_room *room, u64 queues, u32 number)
{
	struct set_search *search = &room->set;
	const u64 before = queues - (POLL_SET_WORDS + 2) * sizeof(u64);
	const u32 here = search->count < POLL_ON_STACK ? search->count : POLL_ON_STACK;

	if (search_pollfds(search, queues + room->list_at, here, number))
		return true;
	if (!search_pollfds(search, before, POLL_SET_WORDS, number) &&
	    !search_pollfds(search, queues + bpf_core_type_size(struct poll_wqueues), POLL_SET_WORDS, number))
		return false;
	room->list_at = search->at + search->begin * sizeof(u64) - queues;
	return true;
}

#endif
