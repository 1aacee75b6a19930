/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/stack/frame_chain.h"

#include <linux/types.h>
#include <string.h>

#include "bpf/ring_event.h"
#include "format/snapshot_code.h"
#include "record/stack/arch_registers.h"

/*
 * A frame is two words, on x86-64 and aarch64 alike: the caller's frame pointer, then the return
 * address. The frame pointers ascend.
 */
uint32_t frame_chain(const struct snapshot *snapshot, uint64_t *frames, uint32_t room, bool *ret_cut)
{
	uint64_t frame, least = snapshot->address;
	const bool goes_on = snapshot->flags & (SNAPSHOT_CUT | SNAPSHOT_UNMAPPED);
	uint32_t count = 0;

	*ret_cut = false;
	if (!room)
		return 0;
	arch_frame(snapshot->registers, &frames[count++], &frame);
	while (frame >= least && !(frame % SNAPSHOT_WORD)) {
		uint64_t word = (frame - snapshot->address) / SNAPSHOT_WORD;

		*ret_cut = count == room || (word + 1 >= snapshot->count && goes_on);
		if (count == room || snapshot->count < 2 || word > snapshot->count - 2)
			break;
		frames[count++] = arch_code_address(snapshot->words[word + 1]);
		least = frame + 2 * SNAPSHOT_WORD;
		frame = snapshot->words[word];
	}
	return count;
}

uint32_t frame_top(const struct snapshot *snapshot, struct ring_top *ret_top)
{
	uint64_t instruction, frame, words = snapshot->count < RING_TOP_WORDS ? snapshot->count : RING_TOP_WORDS;

	arch_frame(snapshot->registers, &instruction, &frame);
	if (frame >= snapshot->address && (frame - snapshot->address) / SNAPSHOT_WORD < words)
		words = (frame - snapshot->address) / SNAPSHOT_WORD;
	ret_top->stack = snapshot->address;
	ret_top->frame = frame;
	ret_top->link = arch_link(snapshot->registers);
	if (!words && !ret_top->link)
		return 0;
	memcpy(ret_top->words, snapshot->words, words * sizeof(*ret_top->words));
	return (uint32_t)words + RING_TOP_HEAD;
}
