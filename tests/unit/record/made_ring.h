/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A BPF ring in a file: the reader's page, the writer's page, and the data twice (kernel/bpf/ringbuf.c). */
#pragma once

#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct made_ring {
	int fd;
	size_t size, page;
	uint8_t *bytes; /* all of it */
};

/* size: of the data, a power of two of pages. */
static inline void made_ring_open(struct made_ring *ring, size_t size)
{
	*ring = (struct made_ring){.fd = memfd_create("ring", MFD_CLOEXEC), .size = size,
				   .page = (size_t)sysconf(_SC_PAGESIZE)};
	if (ring->fd < 0 || ftruncate(ring->fd, (off_t)(2 * ring->page + 2 * size)) < 0)
		abort();
	ring->bytes = mmap(NULL, 2 * ring->page + 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->bytes == MAP_FAILED)
		abort();
}

static inline void made_ring_close(struct made_ring *ring)
{
	(void)munmap(ring->bytes, 2 * ring->page + 2 * ring->size);
	(void)close(ring->fd);
}

static inline uint64_t made_ring_consumed(const struct made_ring *ring)
{
	return *(const uint64_t *)(const void *)ring->bytes;
}

static inline void made_ring_write(struct made_ring *ring, uint64_t at, const void *bytes, size_t length)
{
	uint8_t *data = ring->bytes + 2 * ring->page;

	for (size_t i = 0; i < length; i++) {
		uint64_t place = (at + i) % ring->size;

		data[place] = data[place + ring->size] = ((const uint8_t *)bytes)[i];
	}
}

/* flags: BPF_RINGBUF_DISCARD_BIT ... */
static inline void made_ring_put(struct made_ring *ring, const void *record, size_t length, uint32_t flags)
{
	uint64_t *producer = (void *)(ring->bytes + ring->page), at = *producer;
	const uint32_t header[BPF_RINGBUF_HDR_SZ / sizeof(uint32_t)] = {(uint32_t)length | flags};

	made_ring_write(ring, at, header, sizeof(header));
	made_ring_write(ring, at + sizeof(header), record, length);
	*producer = at + (sizeof(header) + length + 7) / 8 * 8;
	if (*producer - made_ring_consumed(ring) > ring->size)
		abort();
}
