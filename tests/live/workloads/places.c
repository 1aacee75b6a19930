/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * places: 64 functions, each called from a different place, each for 25 ms of CPU time. A sampler
 * at some hundred Hz or more sees every one of them and every return address in main.
 */
#include "workload.h"

enum { SLICE_NS = 25000000 };

#define PLACE(name)                                                            \
	__attribute__((noinline, noclone)) void place_##name(uint64_t *seed)   \
	{                                                                      \
		uint64_t stop = clock_ns(CLOCK_THREAD_CPUTIME_ID) + SLICE_NS;  \
		uint64_t x = *seed;                                            \
                                                                               \
		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < stop)               \
			BURN_SLICE(x);                                         \
		*seed = x;                                                     \
		__asm__ volatile("");                                          \
	}
#define EIGHT(each, a) each(a##0) each(a##1) each(a##2) each(a##3) each(a##4) each(a##5) each(a##6) each(a##7)
#define ALL(each)                                                              \
	EIGHT(each, 0) EIGHT(each, 1) EIGHT(each, 2) EIGHT(each, 3)            \
	EIGHT(each, 4) EIGHT(each, 5) EIGHT(each, 6) EIGHT(each, 7)
#define DECLARE(name) void place_##name(uint64_t *seed);
#define CALL(name) place_##name(&seed);

ALL(DECLARE)
ALL(PLACE)

int main(void)
{
	uint64_t seed = 88172645463325252ull;

	ALL(CALL)
	return seed == 42;
}
