/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Burns argv[1] tenths of a second (5) of CPU time in two functions that have names only while the
 * program is not stripped, and in the stub through which a short libc function is called.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint32_t sink;

static __attribute__((noinline)) void hidden_calls(void)
{
	uint32_t x = sink;

	for (int i = 0; i < 100000; i++)
		x = (htonl)(x) + 1;
	sink = x;
}

static __attribute__((noinline)) void hidden_burns(void)
{
	uint32_t x = sink;

	for (int i = 0; i < 400000; i++)
		x = x * 1664525 + (x >> 7);
	sink = x;
}

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? strtol(argv[1], NULL, 10) : 5) * (CLOCKS_PER_SEC / 10);

	while (clock() < end) {
		hidden_calls();
		hidden_burns();
	}
	return 0;
}
