/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * README: what does the new release take longer for? A desk takes orders: it parses each and sums it up, which takes
 * CPU time, and enters it into a ledger. The archive copies the ledger, and keeps its lock while the tape turns (a
 * timer).
 * samples/release_2 is the same program with two changes for the worse: parsing takes three times as long, and the tape
 * turns for five times as long. `--diff --base ../release_1/trace.rwk` must say these two first, and nothing of sum_up.
 *
 *   sudo rwalker-record -p 2 --offcpu 2 --wakers -u -f 999 -o trace.rwk -- workload 3
 *   desk (two)  S  the lock of the ledger, held by the archive
 *   archive     S  a timer while it holds the lock
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#ifndef PARSING
#define PARSING 1  /* times the work */
#define TAPE 4	   /* milliseconds */
#endif

enum { WORK = 150000, DESK_PERIOD = 12, ARCHIVE_REST = 19 };

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned int order;

static void rest(long milliseconds)
{
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

/* The same number of orders a second, whatever an order takes. */
static void next_order(struct timespec *due)
{
	due->tv_nsec += DESK_PERIOD * 1000000;
	due->tv_sec += due->tv_nsec / 1000000000;
	due->tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL);
}

static __attribute__((noinline)) void parse(void)
{
	for (unsigned int i = 0; i < PARSING * WORK; i++)
		order = order * 31 + i;
}

static __attribute__((noinline)) void sum_up(void)
{
	for (unsigned int i = 0; i < WORK; i++)
		order = order ^ (i << 3);
}

static __attribute__((noinline)) void enter(void)
{
	pthread_mutex_lock(&ledger);
	pthread_mutex_unlock(&ledger);
}

static void *desk(void *unused)
{
	struct timespec due;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &due);
	prctl(PR_SET_NAME, "desk");
	for (;;) {
		parse();
		sum_up();
		enter();
		next_order(&due);
	}
	return NULL;
}

static void *archive(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "archive");
	for (;;) {
		pthread_mutex_lock(&ledger);
		rest(TAPE);
		pthread_mutex_unlock(&ledger);
		rest(ARCHIVE_REST);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, desk, NULL);
	pthread_create(&thread, NULL, archive, NULL);
	rest(1000 * (argc > 1 ? atoi(argv[1]) : 3));
	return 0;
}
