/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * frames SECONDS : user call paths in code without frame pointers, for that long. One thread
 * computes in frames_burn <- frames_middle <- frames_outer; one sleeps 5 ms at a time in nanosleep
 * <- frames_sleep <- frames_nap; one writes one byte at a time to /dev/null in write <-
 * frames_write <- frames_loop.
 */
#include "guest.h"

#include <fcntl.h>
#include <pthread.h>

#define PATH __attribute__((noinline, optimize("O2", "omit-frame-pointer")))

static volatile uint64_t sink;
static uint64_t end_ns;

PATH static void frames_burn(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink += i;
}

PATH static uint64_t frames_middle(uint64_t rounds)
{
	volatile uint64_t room[40];

	room[7] = rounds;
	frames_burn(rounds);
	return room[7] + sink;
}

PATH static uint64_t frames_outer(uint64_t rounds)
{
	return frames_middle(rounds) + 1;
}

PATH static int frames_sleep(void)
{
	struct timespec time = {.tv_nsec = 5000000};

	return nanosleep(&time, NULL) + (int)sink;
}

PATH static int frames_nap(void)
{
	volatile int room[100];

	room[3] = frames_sleep();
	return room[3] + 1;
}

PATH static long frames_write(int fd)
{
	return write(fd, "x", 1) + (long)sink;
}

PATH static long frames_loop(int fd)
{
	return frames_write(fd) + 1;
}

static void *burner(void *argument)
{
	while (now_ns() < end_ns)
		sink += frames_outer(100000);
	return argument;
}

static void *napper(void *argument)
{
	while (now_ns() < end_ns)
		sink += (uint64_t)frames_nap();
	return argument;
}

static void *writer(void *argument)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	while (now_ns() < end_ns) {
		struct timespec time = {.tv_nsec = 10000000};

		sink += (uint64_t)frames_loop(fd);
		nanosleep(&time, NULL);
	}
	return argument;
}

int main(int argc, char **argv)
{
	void *(*const threads[])(void *) = {burner, napper, writer};
	pthread_t started[3];

	end_ns = now_ns() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * UINT64_C(1000000000);
	for (size_t i = 0; i < 3; i++)
		if (pthread_create(&started[i], NULL, threads[i], NULL))
			die("pthread_create");
	for (size_t i = 0; i < 3; i++)
		pthread_join(started[i], NULL);
	return 0;
}
