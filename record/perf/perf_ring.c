/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/perf/perf_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/helper/perf_open.h"

int perf_ring_map(struct perf_ring *ring, int fd, size_t data_size)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_ring made = {.fd = -1, .size = data_size, .wrapped = malloc(UINT16_MAX + 1)};
	int error;

	if (!made.wrapped)
		return -ENOMEM;
	made.page = mmap(NULL, page_size + data_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (made.page == MAP_FAILED) {
		error = errno;
		free(made.wrapped);
		return -error;
	}
	made.data = (uint8_t *)made.page + page_size;
	made.fd = fd;
	*ring = made;
	return 0;
}

int perf_ring_open(struct perf_ring *ring, struct spawner *spawner, const struct perf_event_attr *attr, uint32_t cpu,
		   size_t data_size)
{
	_cleanup_close_ int fd = perf_open(spawner, attr, cpu);
	int r;

	*ring = (struct perf_ring){.fd = -1};
	if (fd < 0)
		return fd;
	r = perf_ring_map(ring, fd, data_size);
	if (r >= 0)
		(void)steal_fd(&fd);
	return r;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->page)
		(void)munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	if (ring->fd >= 0)
		(void)close(ring->fd);
	free(ring->wrapped);
	*ring = (struct perf_ring){.fd = -1};
}

void perf_ring_look(struct perf_ring *ring)
{
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

uint64_t perf_ring_room(const struct perf_ring *ring)
{
	return ring->size - (ring->head - ring->tail);
}

const struct perf_event_header *perf_ring_peek(struct perf_ring *ring)
{
	uint64_t at = ring->tail & (ring->size - 1), room = ring->size - at;
	const struct perf_event_header *header = (const void *)(ring->data + at);

	if (ring->head == ring->tail)
		return NULL;
	/* If this is not a record, nothing after it can be found. */
	if (header->size < sizeof(*header) || header->size > ring->head - ring->tail) {
		ring->tail = ring->head;
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
		return NULL;
	}
	/* Records are multiples of 8 bytes: the header itself never wraps. */
	if (header->size <= room)
		return header;
	memcpy(ring->wrapped, ring->data + at, room);
	memcpy(ring->wrapped + room, ring->data, header->size - room);
	return (const void *)ring->wrapped;
}

void perf_ring_next(struct perf_ring *ring)
{
	uint64_t at = ring->tail & (ring->size - 1);

	ring->tail += ((const struct perf_event_header *)(const void *)(ring->data + at))->size;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
