/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Burns some CPU time, two functions deep, and calls exec on itself, argv[1] times (20): one
 * process at that many places in memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile uint32_t sink;

static __attribute__((noinline)) void life_leaf(void)
{
	uint32_t x = sink;

	for (int i = 0; i < 200000; i++)
		x = x * 1664525 + (x >> 7);
	sink = x;
}

static __attribute__((noinline)) void life(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 50;

	while (clock() < end)
		life_leaf();
	sink++;
}

int main(int argc, char **argv)
{
	long lives = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
	char left[24];

	life();
	(void)snprintf(left, sizeof(left), "%ld", lives - 1);
	if (lives > 1)
		(void)execl(argv[0], argv[0], left, (char *)NULL);
	return lives > 1;
}
