/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reading end of a BPF ring buffer (kernel/bpf/ringbuf.c): one page that we write (how far we
 * have read), one that the kernel writes (how far it has written), then the data, mapped twice so
 * that no record wraps. libbpf's reader drains to the end; this one stops at a position noted
 * earlier, so that what the sideband reported before that moment can be applied first. It reports
 * its progress to the kernel once per batch.
 */
#ifndef RWALKER_RECORD_PERF_RING_H
#define RWALKER_RECORD_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
	int fd;	     /* the map; owned by the probe */
	size_t size; /* bytes of data, a power of two */
	volatile uint64_t *consumer;
	const volatile uint64_t *producer;
	const uint8_t *data;
	uint64_t position; /* how far we have read */
	uint64_t target;   /* how far to read in this pass */
};

int ring_open(struct ring *ring, int fd, size_t size);
void ring_close(struct ring *ring);

/* Notes how far the kernel has written; true if that is ahead of us. */
bool ring_aim(struct ring *ring);

/* The next whole record before the target, NULL: none; valid until ring_release(). */
const void *ring_next(struct ring *ring, size_t *ret_length);

/* Returns the room of what was read to the kernel, including the last record that ring_next() returned. */
void ring_release(struct ring *ring);
/* Returns only the room before a position, which is where a record ends. */
void ring_release_to(struct ring *ring, uint64_t position);
/* Another CPU wrote the record: fetches it while something else is processed. */
void ring_prefetch(const void *record);
/* Bytes that wait to be read, or that were read and not released. */
uint64_t ring_fill(const struct ring *ring);

#endif
