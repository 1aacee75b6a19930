/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits that go on while a dump is made. A look at all tasks finds them. It comes before the last
 * pass over the rings; waits that end in between are in the rings, so they are removed from the
 * list again. The child that writes the dump writes the others into it as waits that have not
 * ended; in the recording they go on. Memory is reserved at the start, its pages are used from the
 * first dump on.
 */
#ifndef RWALKER_RECORD_SOURCE_OPEN_WAITS_H
#define RWALKER_RECORD_SOURCE_OPEN_WAITS_H

#include <stdint.h>

struct open_waits;
struct waits;

/* The most memory that it takes, if that is not halved; bytes. */
uint64_t open_waits_memory(void);

/* 0, -ENOMEM. */
int open_waits_create(struct waits *waits, struct open_waits **ret_open);
void open_waits_destroy(struct open_waits *open);

/* Lists the waits. 0; -errno: the list is incomplete. */
int open_waits_look(struct open_waits *open);
/* A wait of the task ended at this time, CLOCK_MONOTONIC ns. */
void open_waits_end(struct open_waits *open, uint32_t tid, uint64_t time);
/* Writes what is left of the list to the recording's log, once. */
void open_waits_tell(struct open_waits *open);

#endif
