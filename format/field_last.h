/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What fields that are differences are differences to (FORMAT.md §2.3), when written and when read: each kind of record has
 * its own, so that a reader can skip kinds that it does not know.
 */
#ifndef RWALKER_FORMAT_FIELD_LAST_H
#define RWALKER_FORMAT_FIELD_LAST_H

#include <stdint.h>

struct field_last {
	uint64_t time, start, task; /* start: in pages */
};

/* When the last waits of a CPU in the chunk ended: a wait that begins when one of them ends refers to it. */
enum { WAIT_ENDS = 4 };
struct wait_ends {
	uint64_t times[WAIT_ENDS]; /* the latest first; 0: none */
};

struct cpu_clock { /* the last sample of a CPU, the last wait ... */
	uint64_t time, step;
	uint64_t chunk; /* the chunk it was in */
	struct wait_ends ends;
};

static inline void wait_ends_note(struct wait_ends *ends, uint64_t time)
{
	for (unsigned int i = WAIT_ENDS - 1; i > 0; i--)
		ends->times[i] = ends->times[i - 1];
	ends->times[0] = time;
}

#endif
