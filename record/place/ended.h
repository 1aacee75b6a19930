/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Processes whose first thread has ended, with their address spaces. They are kept for a while,
 * because other threads may still run, and because even a process without threads is sampled
 * between its exit record and the release of its memory (exit_mm, since Linux 6.16). Then they are
 * dropped, so that memory does not grow with the number of processes ever seen. Single-threaded
 * processes, which are many, do not push out others.
 */
#ifndef RWALKER_RECORD_PLACE_ENDED_H
#define RWALKER_RECORD_PLACE_ENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/address_space.h"

enum { ENDED_KEPT = 512 }; /* of each kind */

struct ended_ring {
	uint32_t tgids[ENDED_KEPT];
	uint64_t generations[ENDED_KEPT]; /* if it differs now, the tgid is in use again; 0: free */
	uint64_t times[ENDED_KEPT];	  /* of the end */
	uint32_t count;			  /* of all that were ever added */
};

struct ended {
	struct ended_ring alone, others; /* alone: single-threaded */
	struct ended_ring execed;	 /* what was mapped before an exec */
};

static inline void ended_ring_drop(struct ended_ring *ring, struct address_spaces *spaces, uint32_t at)
{
	if (ring->generations[at] && ring->generations[at] == address_spaces_generation(spaces, ring->tgids[at]))
		address_spaces_exit(spaces, ring->tgids[at]);
	ring->generations[at] = 0;
}

/* Adds an address space whose process has ended. The oldest one is dropped. */
static inline void ended_ring_add(struct ended_ring *ring, struct address_spaces *spaces, uint32_t tgid, uint64_t time)
{
	uint32_t at = ring->count++ % ENDED_KEPT;

	ended_ring_drop(ring, spaces, at);
	ring->tgids[at] = tgid;
	ring->generations[at] = address_spaces_generation(spaces, tgid);
	ring->times[at] = time;
}

static inline void ended_add(struct ended *ended, struct address_spaces *spaces, uint32_t tgid, bool alone,
			     uint64_t time)
{
	ended_ring_add(alone ? &ended->alone : &ended->others, spaces, tgid, time);
}

/*
 * Drops single-threaded processes that ended before this time: their memory is gone. And what processes had mapped that
 * executed another program before it: no thread is in execve() for so long.
 */
static inline void ended_bury(struct ended *ended, struct address_spaces *spaces, uint64_t before)
{
	for (uint32_t at = 0; at < ENDED_KEPT; at++) {
		if (ended->alone.times[at] < before)
			ended_ring_drop(&ended->alone, spaces, at);
		if (ended->execed.times[at] < before)
			ended_ring_drop(&ended->execed, spaces, at);
	}
}

/* The process executes another program: call this before address_spaces_exec(). */
static inline void ended_exec(struct ended *ended, struct address_spaces *spaces, uint32_t tgid, uint64_t time)
{
	if (address_spaces_fork(spaces, tgid, address_spaces_before_exec(tgid)) >= 0)
		ended_ring_add(&ended->execed, spaces, address_spaces_before_exec(tgid), time);
}

/*
 * Call this before address_spaces_fork(): if the tgid is reused, the new process may have its
 * parent's generation, as the old one had.
 */
static inline void ended_renew(struct ended *ended, const struct address_spaces *spaces, uint32_t tgid)
{
	if (!address_spaces_generation(spaces, tgid))
		return;
	for (uint32_t i = 0; i < ENDED_KEPT; i++) {
		if (ended->alone.tgids[i] == tgid)
			ended->alone.generations[i] = 0;
		if (ended->others.tgids[i] == tgid)
			ended->others.generations[i] = 0;
	}
}

#endif
