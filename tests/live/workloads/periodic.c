/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * periodic timer|thread PERIOD_US BURN_US SECONDS: work that a timer starts, beside endless
 * work, until the process has used SECONDS of CPU time, so that a busy machine gives as many
 * samples as others.
 *
 *   timer    a signal handler that interrupts main's work
 *   thread   a thread of its own that sleeps from one point in time to the next
 *
 * A unit of periodic work always has the same length, so that it covers a fixed part of its period:
 * a sampler in step with the timer sees it always or never.
 */
#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>

enum { STEPS = 1000, CALIBRATIONS = 20, MOST_UNITS = 1 << 17, LOOK_AFTER = 100 };

struct load {
	uint64_t period;    /* ns */
	unsigned int steps; /* of one unit of periodic work */
};

static struct load load;
static volatile bool over;
static uint32_t units[MOST_UNITS]; /* CPU time of each, ns */
static volatile unsigned int unit_count;
static volatile uint64_t sink = 88172645463325252ull;

#define WORK(steps)                                                                          \
	do {                                                                                 \
		uint64_t x_ = sink;                                                          \
		for (unsigned int i_ = 0; i_ < (steps); i_++) {                              \
			x_ ^= x_ << 13;                                                      \
			x_ ^= x_ >> 7;                                                       \
			x_ ^= x_ << 17;                                                      \
		}                                                                            \
		__asm__ volatile("" : "+r"(x_) : "r"(__builtin_frame_address(0)));           \
		sink = x_;                                                                   \
	} while (0)

void work_at_times(void)
{
	WORK(load.steps);
}

void work_always(void)
{
	WORK(STEPS);
}

static void one_unit(void)
{
	uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	work_at_times();
	if (unit_count < MOST_UNITS)
		units[unit_count++] = (uint32_t)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - from);
}

static void handler(int number)
{
	(void)number;
	one_unit();
}

/* The least of several: on a busy machine some take longer. */
static void calibrate(uint64_t unit_ns)
{
	uint64_t least = UINT64_MAX;

	load.steps = 100 * STEPS;
	for (int i = 0; i < CALIBRATIONS; i++) {
		uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID), took;

		work_at_times();
		took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
		least = took < least ? took : least;
	}
	load.steps = (unsigned int)((double)load.steps * (double)unit_ns / (double)least);
}

static void *sleeper(void *arg)
{
	uint64_t at = clock_ns(CLOCK_MONOTONIC);

	(void)arg;
	while (!over) {
		struct timespec next;

		do /* like a timer, it does not make up for missed periods */
			at += load.period;
		while (at < clock_ns(CLOCK_MONOTONIC));
		next = (struct timespec){.tv_sec = (time_t)(at / NS_PER_S), .tv_nsec = (long)(at % NS_PER_S)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		one_unit();
	}
	return NULL;
}

static int start_timer(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_interval.tv_usec = (suseconds_t)(load.period / 1000)};

	timer.it_value = timer.it_interval;
	return sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &timer, NULL);
}

static int by_size(const void *a, const void *b)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

	return (first > second) - (first < second);
}

/*
 * A sample takes time, and the unit that it hits takes that much longer, but it stands for one
 * period like any other. So all units are assumed to be as long as those with the fewest samples,
 * at least a quarter of them.
 */
static uint64_t periodic_ns(void)
{
	qsort(units, unit_count, sizeof(*units), by_size);
	return unit_count ? (uint64_t)units[unit_count / 4] * unit_count : 0;
}

int main(int argc, char **argv)
{
	struct itimerval off = {0};
	pthread_t thread = 0;
	uint64_t all, seconds;

	if (argc < 4)
		return 2;
	calibrate(strtoull(argv[3], NULL, 10) * 1000);
	load.period = strtoull(argv[2], NULL, 10) * 1000;
	seconds = seconds_arg(argc, argv, 4, 2);
	all = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (strcmp(argv[1], "timer") ? pthread_create(&thread, NULL, sleeper, NULL) : start_timer())
		return 1;
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - all < seconds)
		for (int i = 0; i < LOOK_AFTER; i++)
			work_always();
	over = true;
	if (thread)
		pthread_join(thread, NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	all = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - all;
	printf("truth one_unit;work_at_times %.6f\n", (double)periodic_ns() / (double)all);
	return 0;
}
