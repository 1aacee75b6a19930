/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Frames of many kinds, one below the other, endlessly: a realigned frame, arguments on the stack,
 * recursion, large frames, frames whose size is known only at run time, a C library function that
 * calls back, longjmp(). frames.graph says who calls whom.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

enum { LARGE = 20000, DEPTH = 12, SORTED = 40, JUMPS = 6 };

struct wide {
	long words[9];
};

static volatile unsigned int sink;
static jmp_buf home;

APART static void burn(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		sink = sink * 1103515245u + i;
}

APART static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	burn(40);
	return (x > y) - (x < y);
}

APART static void sorts(int count)
{
	int numbers[count];

	for (int i = 0; i < count; i++)
		numbers[i] = i * 7919 % 1000;
	qsort(numbers, count, sizeof(*numbers), by_value);
	sink += numbers[0];
}

APART static void grows(int pieces)
{
	for (int i = 0; i < pieces; i++) {
		char *piece = alloca(128);

		piece[5] = (char)i;
		burn(100 + piece[5]);
	}
	sorts(SORTED + pieces);
	sink++;
}

APART static void large(int count)
{
	char bytes[LARGE];

	memset(bytes, count, sizeof(bytes));
	burn(2000);
	grows(count);
	sink += bytes[count];
}

APART static void recurs(int depth, int count)
{
	if (depth)
		recurs(depth - 1, count);
	else
		large(count);
	sink++;
}

APART static void many(int a, int b, int c, int d, int e, int f, long g, long h, double i, struct wide wide)
{
	recurs(DEPTH, (int)(a + b + c + d + e + f + g + h + i + wide.words[1]) & 15);
	sink += wide.words[2];
}

APART static void aligned(int count)
{
	char bytes[64] __attribute__((aligned(64)));
	struct wide wide = {{count}};

	memset(bytes, count, sizeof(bytes));
	many(count, 1, 2, 3, 4, 5, 6, 7, 8.0, wide);
	sink += bytes[count & 63];
}

APART static void jumps(int depth)
{
	burn(1000);
	if (!depth)
		longjmp(home, 1);
	jumps(depth - 1);
	sink++;
}

APART static void comes_home(void)
{
	if (!setjmp(home))
		jumps(JUMPS);
	else
		burn(2000);
	sink++;
}

int main(void)
{
	for (int i = 0;; i++) {
		aligned(i & 255);
		comes_home();
	}
}
