/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/perf/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/unconst.h"

enum { RECORD_ALIGN = 8,
       CACHE_LINE = 64,
       USUAL_RECORD = 5 * CACHE_LINE /* with stacks of the usual depth */ };

int ring_open(struct ring *ring, int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer, *producer;

	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	producer = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (producer == MAP_FAILED) {
		int error = errno;

		(void)munmap(consumer, page);
		return -error;
	}
	*ring = (struct ring){
		.fd = fd,
		.size = size,
		.consumer = consumer,
		.producer = producer,
		.data = (const uint8_t *)producer + page,
	};
	return 0;
}

void ring_close(struct ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (ring->consumer)
		(void)munmap(unconst(ring->consumer), page);
	if (ring->producer)
		(void)munmap(unconst(ring->producer), page + 2 * ring->size);
	*ring = (struct ring){.fd = -1};
}

bool ring_aim(struct ring *ring)
{
	ring->target = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	return ring->target != ring->position;
}

void ring_prefetch(const void *record)
{
	for (size_t i = 0; i < USUAL_RECORD; i += CACHE_LINE)
		__builtin_prefetch((const uint8_t *)record + i);
}

const void *ring_next(struct ring *ring, size_t *ret_length)
{
	while (ring->position < ring->target) {
		const uint8_t *header = ring->data + (ring->position & (ring->size - 1));
		uint32_t word = __atomic_load_n((const uint32_t *)header, __ATOMIC_ACQUIRE);
		uint32_t length = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (word & BPF_RINGBUF_BUSY_BIT) /* being written: the next pass finds it complete */
			return NULL;
		ring->position += (length + BPF_RINGBUF_HDR_SZ + RECORD_ALIGN - 1) & ~(uint64_t)(RECORD_ALIGN - 1);
		if (word & BPF_RINGBUF_DISCARD_BIT)
			continue;
		*ret_length = length;
		ring_prefetch(ring->data + (ring->position & (ring->size - 1)));
		return header + BPF_RINGBUF_HDR_SZ;
	}
	return NULL;
}

void ring_release_to(struct ring *ring, uint64_t position)
{
	__atomic_store_n(ring->consumer, position, __ATOMIC_RELEASE);
}

void ring_release(struct ring *ring)
{
	ring_release_to(ring, ring->position);
}

uint64_t ring_fill(const struct ring *ring)
{
	return __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE) - __atomic_load_n(ring->consumer, __ATOMIC_RELAXED);
}
