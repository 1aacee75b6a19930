/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ring in which the kernel leaves perf records of one CPU (perf_event_open(2), "MMAP layout"): read in place, one
 * record at a time; one that wraps around the end is copied out first.
 */
#ifndef RWALKER_RECORD_PERF_RING_H
#define RWALKER_RECORD_PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct perf_ring {
	int fd; /* -1: not open */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size, head, tail; /* head: as of perf_ring_look() */
	uint8_t *wrapped;          /* room for one record */
};

/* attr->wakeup_watermark etc. are the caller's. data_size: a power of two of pages, bytes. 0, -errno of perf_event_open or mmap. */
int perf_ring_open(struct perf_ring *ring, const struct perf_event_attr *attr, int cpu, size_t data_size);
void perf_ring_close(struct perf_ring *ring);

/* Takes note of what has come. */
void perf_ring_look(struct perf_ring *ring);
/* The next record up to the last look, NULL: none. It stays valid until perf_ring_next(). */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring);
/* Gives the record's room back to the kernel. */
void perf_ring_next(struct perf_ring *ring);

#endif
