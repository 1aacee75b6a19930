/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/stack/frame_chain.h"

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
