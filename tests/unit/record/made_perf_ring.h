/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The ring of a perf event in a file in memory: a page about it, then the data. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/perf/perf_event.h"

/* bytes: of the data, a power of two of pages. perf_ring_close() when done. */
static inline void made_perf_ring_open(struct perf_ring *ring, size_t bytes)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)((size_t)sysconf(_SC_PAGESIZE) + bytes)) < 0 ||
	    perf_ring_map(ring, fd, bytes) < 0)
		abort();
}

/* As the kernel writes it: the record goes around the end. */
static inline void made_perf_ring_put(struct perf_ring *ring, const uint64_t *words, size_t count)
{
	uint64_t at = ring->page->data_head;

	for (size_t i = 0; i < count; i++, at += sizeof(*words))
		memcpy(ring->data + at % ring->size, &words[i], sizeof(*words));
	ring->page->data_head = at;
}
