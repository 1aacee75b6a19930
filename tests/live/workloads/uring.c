/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * uring SECONDS: reads of /dev/zero that io_uring gives to a thread which the kernel makes in this process
 * (iou-wrk-TID): it burns nearly all of the CPU time. Then both sleep for as long. Exit 77: no io_uring.
 */
#include "truth.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ENTRIES = 1, BUFFER_BYTES = 4 << 20 };

struct ring {
	int fd;
	struct io_uring_sqe *entries;
	uint32_t *tail, *mask, *array, *completed;
};

static void *map(const struct ring *ring, size_t bytes, off_t what)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, what);

	if (at == MAP_FAILED)
		abort();
	return at;
}

static void make(struct ring *ring)
{
	struct io_uring_params plan = {0};
	char *queue, *done;

	ring->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &plan);
	if (ring->fd < 0)
		exit(77);
	queue = map(ring, plan.sq_off.array + plan.sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
	done = map(ring, plan.cq_off.cqes + plan.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	ring->entries = map(ring, plan.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	ring->tail = (uint32_t *)(queue + plan.sq_off.tail);
	ring->mask = (uint32_t *)(queue + plan.sq_off.ring_mask);
	ring->array = (uint32_t *)(queue + plan.sq_off.array);
	ring->completed = (uint32_t *)(done + plan.cq_off.head);
}

static void read_by_worker(struct ring *ring, int fd, void *buffer)
{
	uint32_t tail = *ring->tail, slot = tail & *ring->mask;

	ring->entries[slot] = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = fd, .addr = (uintptr_t)buffer,
		.len = BUFFER_BYTES,
	};
	ring->array[slot] = slot;
	__atomic_store_n(ring->tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		abort();
	__atomic_store_n(ring->completed, *ring->completed + 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	uint64_t length = seconds_arg(argc, argv, 1, 1), end = clock_ns(CLOCK_MONOTONIC) + length;
	int zero = open("/dev/zero", O_RDONLY);
	static char buffer[BUFFER_BYTES];
	struct ring ring;

	if (zero < 0)
		return 1;
	make(&ring);
	while (clock_ns(CLOCK_MONOTONIC) < end)
		read_by_worker(&ring, zero, buffer);
	return usleep((useconds_t)(length / 1000)) != 0;
}
