/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Shared by all workloads: CPU time to burn and clocks to measure it with.
 *
 * A workload is the independent truth of a live test: it measures its own CPU time
 * per call path with CLOCK_THREAD_CPUTIME_ID and prints lines
 *
 *     truth PATH SHARE        SHARE is a fraction of the process's own total
 *
 * which the scripts compare with what the recorder saw. Everything is static
 * so that a workload stays one file and one symbol table.
 */
#ifndef TESTS_LIVE_TRUTH_H
#define TESTS_LIVE_TRUTH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/*
 * About a quarter of a millisecond of arithmetic that the compiler can neither fold
 * nor vectorise. It is a macro so that the loop is in the caller's own code. It asks for
 * the frame address because gcc otherwise gives a leaf function no frame, whatever
 * -fno-omit-frame-pointer says, and then its caller is missing from a walk.
 */
#define BURN_SLICE(seed)                                                           \
	do {                                                                       \
		for (unsigned int i_ = 0; i_ < 150000; i_++) {                     \
			(seed) ^= (seed) << 13;                                    \
			(seed) ^= (seed) >> 7;                                     \
			(seed) ^= (seed) << 17;                                    \
		}                                                                  \
		__asm__ volatile("" : "+r"(seed) : "r"(__builtin_frame_address(0))); \
	} while (0)

static inline uint64_t seconds_arg(int argc, char **argv, int at, double fallback)
{
	double s = argc > at ? strtod(argv[at], NULL) : fallback;

	return (uint64_t)(s * 1e9);
}

/* A thread that takes part of a CPU's time: it burns for a few milliseconds, and sleeps. */
struct pace {
	uint64_t percent, stop_at, rested_at; /* ns of CPU time */
};

static inline struct pace pace_begin(uint64_t cpu_ns, const char *percent)
{
	uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	return (struct pace){.percent = strtoul(percent, NULL, 10), .stop_at = now + cpu_ns, .rested_at = now};
}

/* Whether to burn on. Sleeps after each slice, unless it may take all of the CPU. */
static inline int pace_goes_on(struct pace *pace)
{
	uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID), used = now - pace->rested_at;

	if (pace->percent < 100 && used >= 2 * NS_PER_MS) {
		uint64_t rest = used * (100 - pace->percent) / pace->percent;

		nanosleep(&(struct timespec){(time_t)(rest / NS_PER_S), (long)(rest % NS_PER_S)}, NULL);
		pace->rested_at = now;
	}
	return now < pace->stop_at;
}

#endif
