/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Burns that many seconds of CPU time, three calls deep, measured by the vDSO's clock. The test
 * compiles it without frame pointers, with .eh_frame or with .debug_frame.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define OWN_FRAME __attribute__((noinline, noclone))

static uint64_t now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

OWN_FRAME static uint64_t bare_leaf(uint64_t value)
{
	volatile uint64_t room[32]; /* a frame of its own size */

	for (unsigned int i = 0; i < 20000; i++)
		room[i % 32] = value = value * 6364136223846793005u + room[(i + 7) % 32];
	return value ^ now();
}

OWN_FRAME static uint64_t bare_middle(uint64_t value)
{
	volatile uint64_t room[5] = {value};

	room[1] = bare_leaf(room[0]);
	return room[1] + 1;
}

OWN_FRAME static uint64_t bare_outer(clock_t end)
{
	uint64_t value = 1;

	while (clock() < end) {
		for (unsigned int i = 0; i < 10; i++)
			value = bare_middle(value) + 1;
		for (unsigned int i = 0; i < 1000; i++) /* some samples must be in the vDSO */
			value ^= now();
	}
	return value;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;

	return bare_outer(clock() + (clock_t)(seconds * CLOCKS_PER_SEC)) == 0;
}
