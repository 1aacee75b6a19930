/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ring in which the kernel leaves perf records of one CPU (perf_event_open(2), "MMAP
 * layout"): read in place, one record at a time; a record that wraps around the end is copied out
 * first.
 */
#ifndef RWALKER_RECORD_PERF_PERF_RING_H
#define RWALKER_RECORD_PERF_PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct spawner;

struct perf_ring {
	int fd; /* -1: not open */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size, head, tail; /* head: as of the last perf_ring_look() */
	uint8_t *wrapped;          /* room for one record */
};

/* For an event that is open; the ring owns `fd` only if this succeeds. 0, -errno of mmap. */
int perf_ring_map(struct perf_ring *ring, int fd, size_t data_size);
/*
 * The caller sets attr->wakeup_watermark etc. data_size: a power of two of pages, bytes. spawner:
 * as for perf_open(). 0, -errno of perf_event_open or mmap.
 */
int perf_ring_open(struct perf_ring *ring, struct spawner *spawner, const struct perf_event_attr *attr, uint32_t cpu,
		   size_t data_size);
void perf_ring_close(struct perf_ring *ring);

/* Notes what has arrived. */
void perf_ring_look(struct perf_ring *ring);
/* Bytes that the kernel could still write at the last look. */
uint64_t perf_ring_room(const struct perf_ring *ring);
/* The next record up to the last look, NULL: none. It stays valid until perf_ring_next(). */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring);
/* Gives the record's room back to the kernel. */
void perf_ring_next(struct perf_ring *ring);

#endif
