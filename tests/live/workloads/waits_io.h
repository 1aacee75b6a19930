/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kinds of waits.c that wait for files, processes and pipes. */
#ifndef TESTS_LIVE_WAITS_IO_H
#define TESTS_LIVE_WAITS_IO_H

#include "waits_threads.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { PAGE = 4096, POUR = 1 << 20, STEP = 64 << 10, FAULT_STRIDE = 64 * PAGE };

static inline long voluntary_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* The ends of a TCP connection to ourselves, like those of a pipe. */
static inline int tcp_pipe(int ends[2])
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&here, length) || getsockname(listener, (void *)&here, &length) ||
	    listen(listener, 1) || connect(ends[1], (void *)&here, length))
		return -1;
	ends[0] = accept(listener, NULL, NULL);
	close(listener);
	return ends[0] < 0 ? -1 : 0;
}

/* --- several sleeps in one system call ---------------------------------------------------------- */

FRAMED static void pour(struct waiter *w)
{
	static char bytes[POUR];
	struct iovec part = {bytes, POUR};
	long before = 0, sleeps = 0;

	for (size_t i = 0; i < w->room; i++) {
		before = voluntary_switches();
		waiter_begin(w);
		if (raw_call(SYS_writev, ((int *)w->shared)[1], (long)&part, 1, 0) != POUR)
			fault("writev");
		waiter_end(w);
		sleeps += voluntary_switches() - before;
	}
	snprintf(w->more, sizeof(w->more), " sleeps=%ld", sleeps);
}

FRAMED static void empty(struct waiter *w)
{
	static char bytes[STEP];

	for (size_t done = 0; done < w->amount * POUR;) {
		nap(10 * MS);
		done += (size_t)pipe_read(((int *)w->shared)[0], bytes, STEP);
	}
}

static inline void several(char **argv)
{
	size_t rounds = strtoul(argv[0], NULL, 10);
	int ends[2];
	struct waiter waiters[] = {
		{.comm = "pour", .path = "pour", .run = pour, .shared = ends, .room = rounds},
		{.comm = "empty", .path = "empty;nap", .run = empty, .shared = ends, .amount = rounds},
	};

	if (pipe(ends))
		fault("pipe");
	waiters_run(waiters, 2);
}

/* --- files and devices ---------------------------------------------------------------------------- */

struct file {
	const char *path;
	size_t size;
};

/* Only what the kernel counts as a sleep is a wait: the disk may have been quick, or the page present. */
FRAMED static void touch(struct waiter *w)
{
	struct file *file = w->shared;
	int fd = open(file->path, O_RDONLY | O_CLOEXEC);
	const volatile char *page, *bytes;

	if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		fault(file->path);
	bytes = mmap(NULL, file->size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED || madvise((void *)bytes, file->size, MADV_RANDOM))
		fault("mmap");
	for (page = bytes; page < bytes + file->size && w->count < w->room; page += FAULT_STRIDE) {
		long before = voluntary_switches();

		waiter_begin(w);
		(void)*page;
		waiter_end(w);
		if (voluntary_switches() == before)
			w->count--;
	}
}

static inline void faults(char **argv)
{
	struct file file = {.path = argv[0]};
	int fd = open(file.path, O_RDONLY | O_CLOEXEC);
	struct waiter waiter = {.comm = "touch", .path = "touch", .run = touch, .shared = &file, .room = 1000};

	if (fd < 0)
		fault(file.path);
	file.size = (size_t)lseek(fd, 0, SEEK_END);
	close(fd);
	waiters_run(&waiter, 1);
}

FRAMED static void read_device(struct waiter *w)
{
	static char buffer[PAGE] __attribute__((aligned(PAGE)));
	int fd = open(w->shared, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		fault(w->shared);
	for (size_t i = 0; i < w->room; i++) {
		waiter_begin(w);
		if (raw_call(SYS_pread64, fd, (long)buffer, PAGE, (long)i * PAGE) != PAGE)
			fault("pread");
		waiter_end(w);
	}
}

static inline void disk(char **argv)
{
	struct waiter waiter = {.comm = "reader", .path = "read_device", .run = read_device, .shared = argv[0],
				.room = strtoul(argv[1], NULL, 10)};

	waiters_run(&waiter, 1);
}

#endif
