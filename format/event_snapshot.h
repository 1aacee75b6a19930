/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The record of SNAPSHOTS chunks (FORMAT.md §12): the user registers and the user stack of a task
 * at an event, which refers to it by its number. Members are in the order of the fields on disk;
 * (t) (s) as in event.h. snapshot_code.h encodes and decodes the two texts.
 */
#ifndef RWALKER_FORMAT_EVENT_SNAPSHOT_H
#define RWALKER_FORMAT_EVENT_SNAPSHOT_H

#include "format/event_text.h"

enum snapshot_flag {
	SNAPSHOT_CUT = 1,      /* the stack is longer than the requested size */
	SNAPSHOT_UNMAPPED = 2, /* the rest of the stack was not in memory */
};

struct event_snapshot {
	uint64_t time;	 /* (t) */
	uint32_t number; /* from 1, unique in a section, ascending in the file */
	/* The SNAPSHOT of the chunk that this one is a difference to, counted in records back; 0: none. */
	uint32_t key;
	uint64_t flags;	 /* enum snapshot_flag */
	uint64_t known;	 /* bit n: the register with DWARF number n is present */
	struct event_text registers; /* coded */
	uint64_t address; /* of the stack's first byte; a multiple of 8 */
	uint32_t size;	  /* of the stack, bytes; a multiple of 8 */
	struct event_text stack; /* coded */
	uint32_t more;	  /* number of a snapshot with another stack of the thread; 0: none */
};

#endif
