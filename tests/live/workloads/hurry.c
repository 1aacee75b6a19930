/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hurry SECONDS: on each of two CPUs a thread waits by futex for its turn, which often comes after
 * it has asked to sleep but before it does. Beside each of them run two threads that never ask to
 * sleep, so that something else can run:
 *
 *   hurry-turn   hurry-calls: getppid, again and again   hurry-spin: computes
 */
#include "truth.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int turn, is_over;

static void begin(const char *comm, long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	/* With one CPU the case does not occur, and nothing can go wrong. */
	(void)sched_setaffinity(0, sizeof(set), &set);
	prctl(PR_SET_NAME, comm);
}

static void *take_turns(void *argument)
{
	long me = (long)argument;

	begin("hurry-turn", me);
	while (!is_over) {
		int now = turn;

		if (now % 2 != me) {
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
			continue;
		}
		turn++;
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	return NULL;
}

static void *call(void *argument)
{
	begin("hurry-calls", (long)argument);
	for (;;)
		syscall(SYS_getppid);
	return NULL;
}

static void *spin(void *argument)
{
	uint64_t seed = 1;

	begin("hurry-spin", (long)argument);
	for (;;)
		BURN_SLICE(seed);
	return NULL;
}

int main(int argc, char **argv)
{
	static void *(*const runs[])(void *) = {take_turns, call, spin};
	uint64_t ns = seconds_arg(argc, argv, 1, 1);
	struct timespec rest = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
	pthread_t thread;

	for (size_t i = 0; i < 6; i++)
		if (pthread_create(&thread, NULL, runs[i / 2], (void *)(i % 2)))
			return 1;
	nanosleep(&rest, NULL);
	_exit(0);
}
