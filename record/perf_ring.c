/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/perf_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_ring_open(struct perf_ring *ring, const struct perf_event_attr *attr, int cpu, size_t data_size)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr copy = *attr;
	int error;

	*ring = (struct perf_ring){.size = data_size};
	ring->fd = (int)syscall(SYS_perf_event_open, &copy, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	ring->wrapped = malloc(UINT16_MAX + 1);
	ring->page = mmap(NULL, page_size + data_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->wrapped && ring->page != MAP_FAILED) {
		ring->data = (uint8_t *)ring->page + page_size;
		return 0;
	}
	error = ring->wrapped ? errno : ENOMEM;
	if (ring->page == MAP_FAILED)
		ring->page = NULL;
	perf_ring_close(ring);
	return -error;
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

const struct perf_event_header *perf_ring_peek(struct perf_ring *ring)
{
	uint64_t at = ring->tail & (ring->size - 1), room = ring->size - at;
	const struct perf_event_header *header = (const void *)(ring->data + at);

	if (ring->head == ring->tail)
		return NULL;
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
