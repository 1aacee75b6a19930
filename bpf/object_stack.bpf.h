/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel stack of a task that is off the CPU has what its system call works with: the file that
 * it uses, the timer that will wake it up.
 */
#ifndef RWALKER_BPF_OBJECT_STACK_H
#define RWALKER_BPF_OBJECT_STACK_H

#include "bpf/object_room.bpf.h"
#include "bpf/budget.bpf.h"

enum {
	OBJECT_PARTS = 5, /* of OBJECT_WORDS, that are searched from the stack pointer on */
	OBJECT_RUN = 16, /* words of a part that are compared at once */
	OBJECT_FLAGS = 3, /* bits that the kernel keeps in a pointer to a file */
};

static __always_inline u64 stack_pointer(struct task_struct *task)
{
	struct task_struct___x86 *x86 = (void *)task;
	struct task_struct___arm64 *arm64 = (void *)task;

	if (bpf_core_field_exists(x86->thread.sp))
		return x86->thread.sp;
	return bpf_core_field_exists(arm64->thread.cpu_context.sp) ? arm64->thread.cpu_context.sp : 0;
}

/* Where the frames end: above them are the user registers. */
static __always_inline u64 kernel_stack_end(struct task_struct *task)
{
	return as_number((const void *)bpf_task_pt_regs(task));
}

static __always_inline bool read_part(struct object_room *room)
{
	const struct stack_search *search = &room->search;
	u64 left = search->end - search->at, bytes = left < sizeof(room->words) ? left : sizeof(room->words);

	return !bpf_probe_read_kernel(room->words, bytes, (const void *)search->at);
}

/*
 * Sets search->found to the address of the first of these words that is one of the two, ignoring
 * the low bits. The result is in memory, where the verifier does not distinguish its values. Beyond
 * the end of the stack, the buffer has old words.
 */
static __always_inline void find_word(struct stack_search *search, const volatile u64 *words)
{
	const u64 one = search->one, other = search->other;
	u64 at = search->at;

#pragma clang loop unroll(full)
	for (u32 i = 0; i < OBJECT_RUN; i++, at += sizeof(u64)) {
		u64 word = words[i] & ~(u64)OBJECT_FLAGS;

		if (word == one || word == other)
			goto found;
	}
	return;
found:
	if (at < search->end)
		*(volatile u64 *)&search->found = at;
}

/*
 * Searches a few words of the stack, which is read in larger parts. Returns 1 if one was found, or
 * none are left. The verifier looks once at a function that bpf_loop() calls, but at each round of
 * a loop, which it compares with all others.
 */
static long search_block(u32 index, void *context)
{
	u32 first = index % (OBJECT_WORDS / OBJECT_RUN) * OBJECT_RUN;
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, context);

	if (!room || room->search.at >= room->search.end || (!first && !read_part(room)))
		return 1;
	find_word(&room->search, &room->words[first]);
	room->search.at += OBJECT_RUN * sizeof(u64);
	return *(volatile u64 *)&room->search.found != 0;
}

/* Searches as room->search says. */
SEPARATE int search_stack(u32 number)
{
	bpf_loop(OBJECT_PARTS * OBJECT_WORDS / OBJECT_RUN, search_block, &number, 0);
	return 0;
}

static __always_inline u64 word_at(u64 address)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)address);
	return word;
}

/*
 * The address of the first word that is one of these two; 0 if there is none nearby. at: where to
 * start; 0: at the stack pointer.
 */
static __always_inline u64 stack_find_from(struct task_struct *task, u64 at, u64 one, u64 other, u32 number)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 begin = at ? at : stack_pointer(task);

	if (!room || !begin)
		return 0;
	room->search = (struct stack_search){.at = begin, .one = one, .other = other};
	room->search.end = kernel_stack_end(task);
	search_stack(number);
	return room->search.found;
}

static __always_inline u64 stack_find(struct task_struct *task, u64 one, u64 other, u32 number)
{
	return stack_find_from(task, 0, one, other, number);
}

/*
 * The same for a task in that call, but not always the first such word: it first tries where the
 * word was last time, because what a kernel does between a call and the switch is mostly the same.
 */
static __noinline u64 stack_find_again(struct task_struct *task, u64 one, u64 other, u32 number, u32 call)
{
	struct object_room *room = bpf_map_lookup_elem(&object_rooms, &number);
	u64 begin = stack_pointer(task), *place, at, word;

	if (!room || !begin)
		return 0;
	place = &room->places[call & (OBJECT_PLACES - 1)];
	at = begin + *place;
	word = at < kernel_stack_end(task) ? word_at(at) & ~(u64)OBJECT_FLAGS : 0;
	if (word && (word == one || word == other))
		return at;
	at = stack_find(task, one, other, number);
	if (at)
		*place = at - begin;
	return at;
}

#endif
