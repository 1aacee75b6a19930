/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pages N FILE: N times each, waits for a page of FILE that is not in memory, by read() and by
 * touching it in a mapping, in two threads that are named after what they do. A third one reads the
 * same pages as the first, at the same time, so that one of them waits for the other's read. A
 * fourth one touches the pages of a file that was deleted. A thread that was slower than the disk
 * did not wait, and tries another page. Prints after each wait:
 *
 *	COMM NS INODE PAGE
 */
#define _GNU_SOURCE
#include "sleeping.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	PAGES = 1024,
	PAGE = 4096,
	TRIES = 50,  /* for each wait */
	LATER = 300, /* ns by which the other read begins later, times the round modulo 64 */
};

struct way {
	const char *comm;
	int fd;
	unsigned long inode;
	const char *mapped;
	char path[300];
};

static int rounds;
static pthread_barrier_t both;
static bool done; /* with reading; changed between two meetings there */

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void make(struct way *way, const char *path, const char *suffix)
{
	static char page[PAGE];
	struct stat status;

	snprintf(way->path, sizeof(way->path), "%s%s", path, suffix);
	way->fd = open(way->path, O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < PAGES; i++)
		must(pwrite(way->fd, page, PAGE, (off_t)i * PAGE) == PAGE, way->path);
	must(!fsync(way->fd) && !fstat(way->fd, &status), way->path);
	must(!posix_fadvise(way->fd, 0, 0, POSIX_FADV_RANDOM), "posix_fadvise");
	way->inode = status.st_ino;
	way->mapped = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_SHARED, way->fd, 0);
	must(way->mapped != MAP_FAILED && !madvise((void *)way->mapped, (size_t)PAGES * PAGE, MADV_RANDOM), "mmap");
}

static void drop(const struct way *way)
{
	must(!madvise((void *)way->mapped, (size_t)PAGES * PAGE, MADV_DONTNEED), "madvise");
	must(!posix_fadvise(way->fd, 0, 0, POSIX_FADV_DONTNEED), "posix_fadvise");
}

static int page_of(int round)
{
	return (int)((unsigned int)round * 2654435761U % PAGES);
}

static void say(const struct way *way, const char *comm, int page)
{
	printf("%s %lld %lu %d\n", comm, now(), way->inode, page);
}

/* How often the thread has gone to sleep. */
static long sleeps(void)
{
	struct rusage usage;

	must(!getrusage(RUSAGE_THREAD, &usage), "getrusage");
	return usage.ru_nvcsw;
}

static void *touch_often(void *argument)
{
	const struct way *way = argument;

	prctl(PR_SET_NAME, way->comm);
	for (int i = 0, waits = 0; waits < rounds && i < TRIES * rounds; i++) {
		long before;

		drop(way);
		before = sleeps();
		(void)*(volatile const char *)&way->mapped[(size_t)page_of(i) * PAGE];
		if (sleeps() == before)
			continue;
		say(way, way->comm, page_of(i));
		waits++;
	}
	return NULL;
}

/* Returns whether it waited. */
static bool read_one(const struct way *way, const char *comm, int round)
{
	long before = sleeps();
	char byte;

	must(pread(way->fd, &byte, 1, (off_t)page_of(round) * PAGE) == 1, "pread");
	if (sleeps() == before)
		return false;
	say(way, comm, page_of(round));
	return true;
}

static void *read_often(void *argument)
{
	const struct way *way = argument;

	prctl(PR_SET_NAME, way->comm);
	for (int i = 0, waits = 0; !done; i++) {
		drop(way);
		pthread_barrier_wait(&both);
		waits += read_one(way, way->comm, i);
		done = waits == rounds || i == TRIES * rounds;
		pthread_barrier_wait(&both);
	}
	return NULL;
}

static void *read_too(void *argument)
{
	const struct way *way = argument;

	prctl(PR_SET_NAME, "p-too");
	for (int i = 0; !done; i++) {
		long long until;

		pthread_barrier_wait(&both);
		until = now() + i % 64 * LATER;
		while (now() < until)
			;
		(void)read_one(way, "p-too", i);
		pthread_barrier_wait(&both);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct way reads = {.comm = "p-read"}, touches = {.comm = "p-touch"}, gone = {.comm = "p-gone"};
	pthread_t threads[4];

	must(argc == 3 && (rounds = atoi(argv[1])) > 0, "usage: pages N FILE");
	setvbuf(stdout, NULL, _IOLBF, 0);
	make(&reads, argv[2], ".read");
	make(&touches, argv[2], ".touch");
	make(&gone, argv[2], ".gone");
	must(!unlink(gone.path), gone.path);
	pthread_barrier_init(&both, NULL, 2);
	must(!pthread_create(&threads[0], NULL, read_often, &reads) &&
		     !pthread_create(&threads[1], NULL, read_too, &reads) &&
		     !pthread_create(&threads[2], NULL, touch_often, &touches) &&
		     !pthread_create(&threads[3], NULL, touch_often, &gone), "pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
