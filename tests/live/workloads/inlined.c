/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Burns CPU time in a function that is inlined into one that is inlined into one that is not, for
 * argv[1] seconds of CPU time (2), and then waits in it. The marks show tests/live/test_lines.sh
 * where its lines are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline __attribute__((always_inline)) uint32_t innermost(uint32_t x)
{
	/* On one line, so that only one line is right. */
	for (int i = 0; i < 100000; i++) x = x * 1664525 + (x >> 7); /* mark: innermost */
	return x;
}

static inline __attribute__((always_inline)) uint32_t middle(uint32_t x)
{
	return innermost(x) ^ 1; /* mark: middle */
}

__attribute__((noinline)) uint32_t real(uint32_t x)
{
	return middle(x) + 1; /* mark: real */
}

/* A walk of frame pointers misses the caller of a function without a frame: this one. */
__attribute__((noinline)) uint32_t around(uint32_t x)
{
	return real(x) ^ 2;
}

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? strtol(argv[1], NULL, 10) : 2) * CLOCKS_PER_SEC;
	volatile uint32_t x = 1;

	while (clock() < end)
		x = around(x); /* mark: main */
	return 0;
}
