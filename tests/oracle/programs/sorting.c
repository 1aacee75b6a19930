/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A program for the oracle: recursion, and C library functions that call back, endlessly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 200 };

static int by_text(const void *a, const void *b)
{
	char x[32], y[32];

	(void)snprintf(x, sizeof(x), "%d", *(const int *)a);
	(void)snprintf(y, sizeof(y), "%d", *(const int *)b);
	return strcmp(x, y);
}

__attribute__((noinline)) static long sort(int *numbers, int depth)
{
	if (depth)
		return sort(numbers, depth - 1) + numbers[depth];
	for (int i = 0; i < COUNT; i++)
		numbers[i] = i * 7919 % COUNT;
	qsort(numbers, COUNT, sizeof(*numbers), by_text);
	return numbers[COUNT / 2];
}

int main(void)
{
	int numbers[COUNT];

	for (long sum = 0;; sum += sort(numbers, 8))
		if (sum < 0)
			return 1;
}
