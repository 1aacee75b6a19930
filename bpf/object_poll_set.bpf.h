/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The number of a file that poll() or select() waits for: from the kernel's copy of what the call was given. */
#ifndef RWALKER_BPF_OBJECT_POLL_SET_H
#define RWALKER_BPF_OBJECT_POLL_SET_H

#include "bpf/kernel_polls.bpf.h"
#include "bpf/object_stack.bpf.h"

enum {
	POLL_ALWAYS = 0x18 /* POLLERR, POLLHUP */, POLL_EVENTS = 0x7fff,
	POLL_ON_STACK = 30, /* N_STACK_PPS: as many pollfds are on the stack, the others elsewhere */
	POLL_SET_WORDS = 42, SELECT_DESCRIPTORS = 1024, SELECT_SETS = 6, SELECT_PARTS = 3,
};

struct set_search {
	u64 table, file; /* table: of the open files */
	u64 sets, size, bits; /* select: of its sets; bits: those of 64 descriptors */
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
 * In the words read from the stack: pointer to the next part, count, struct pollfd...: half words from the second half
 * of the second word on. room->found has where they begin: in memory, as for find_word().
 */
static __always_inline bool search_pollfds(struct object_room *room, struct set_search *search)
{
	const u32 here = search->count < POLL_ON_STACK ? search->count : POLL_ON_STACK;
	volatile u64 *begin = &room->found;

	*begin = POLL_SET_WORDS;
#pragma clang loop unroll(disable)
	for (u32 i = 2; i + 1 < POLL_SET_WORDS; i++) {
		u64 word = *(volatile const u64 *)&room->words[i], after = *(volatile const u64 *)&room->words[i + 1];

		if ((u32)word == here && (here == POLL_ON_STACK || !*(volatile const u64 *)&room->words[i - 1]))
			*begin = i;
		if (i - *begin < here && (((u32)after & POLL_EVENTS) | POLL_ALWAYS) == (search->key & POLL_EVENTS) &&
		    leads_there(search, word >> 32))
			return true;
	}
	return false;
}

/* Room for words[0], which as_number() uses. */
static __always_inline bool read_words(struct object_room *room, u64 at)
{
	return !bpf_probe_read_kernel(&room->words[1], (POLL_SET_WORDS - 1) * sizeof(u64), (const void *)at);
}

/* struct poll_list is in the frame of the queues, on one of their sides. */
static __always_inline bool find_polled(struct object_room *room, struct set_search *search, u64 queues)
{
	const u64 bytes = (POLL_SET_WORDS - 1) * sizeof(u64);

	if (read_words(room, queues - bytes) && search_pollfds(room, search))
		return true;
	return read_words(room, queues + bpf_core_type_size(struct poll_wqueues)) && search_pollfds(room, search);
}

/* The place of the bits that select() was given: six pointers, a set apart. 0: it is not among the words. */
static __always_inline u64 search_sets(struct object_room *room, u64 size)
{
#pragma clang loop unroll(disable)
	for (u32 i = 1; i + SELECT_SETS <= POLL_SET_WORDS; i++) {
		u64 first = *(volatile const u64 *)&room->words[i];

		if (first && *(volatile const u64 *)&room->words[i + 1] - first == size &&
		    *(volatile const u64 *)&room->words[i + 2] - first == 2 * size &&
		    *(volatile const u64 *)&room->words[i + 3] - first == 3 * size &&
		    *(volatile const u64 *)&room->words[i + 4] - first == 4 * size &&
		    *(volatile const u64 *)&room->words[i + 5] - first == 5 * size)
			return first;
	}
	return 0;
}

static __always_inline u64 word_at(u64 address)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)address);
	return word;
}

static long bit_step(u32 index, void *context)
{
	struct set_search *search = context;
	u64 at = search->sets + index / 64 * sizeof(u64);

	if (index % 64 == 0)
		search->bits = word_at(at) | word_at(at + search->size) | word_at(at + 2 * search->size);
	return search->bits >> index % 64 & 1 && leads_there(search, index);
}

/* Its sets are in the frames below that of the queues. */
static __always_inline bool find_selected(struct object_room *room, struct set_search *search, u64 queues)
{
	const u64 step = (POLL_SET_WORDS - SELECT_SETS) * sizeof(u64);
	u64 at = queues + bpf_core_type_size(struct poll_wqueues);

	search->size = (search->count + 63) / 64 * sizeof(u64);
	for (int i = 0; i < SELECT_PARTS && !search->sets; i++)
		if (read_words(room, at + i * step))
			search->sets = search_sets(room, search->size);
	if (search->sets && search->count <= SELECT_DESCRIPTORS)
		bpf_loop(search->count, bit_step, search, 0);
	return search->found;
}

#endif
