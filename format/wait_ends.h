/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef RWALKER_FORMAT_WAIT_ENDS_H
#define RWALKER_FORMAT_WAIT_ENDS_H

#include <stdint.h>

/* When the last waits of a CPU in the chunk ended: a wait that begins when one of them ends refers to it. */
enum { WAIT_ENDS = 4 };
struct wait_ends {
	uint64_t times[WAIT_ENDS]; /* the latest first; 0: none */
};

static inline void wait_ends_note(struct wait_ends *ends, uint64_t time)
{
	for (unsigned int i = WAIT_ENDS - 1; i > 0; i--)
		ends->times[i] = ends->times[i - 1];
	ends->times[0] = time;
}

#endif
