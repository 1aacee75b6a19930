/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How much of a user stack that the kernel took by frame pointers is a stack. */
#ifndef RWALKER_RECORD_USER_FRAMES_H
#define RWALKER_RECORD_USER_FRAMES_H

#include <stdint.h>

/*
 * Frames up to the first that cannot be code: page 0 and the kernel's half are nobody's. The kernel follows frame pointers
 * wherever they lead; where a program uses the register for something else, what comes behind is noise.
 */
static inline uint32_t user_frames_plausible(const uint64_t *frames, uint32_t count)
{
	/* x86-64 with five levels of page tables; other machines have less */
	const uint64_t least = 4096, most = UINT64_C(1) << 56;
	uint32_t good = count ? 1 : 0; /* the leaf is where the task was, whatever it says */

	while (good < count && frames[good] >= least && frames[good] <= most)
		good++;
	return good;
}

#endif
