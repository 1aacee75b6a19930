/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the large blocks of the mutants hide nothing from AddressSanitizer (large_blocks.h):
 * each mistake is made in a child, which must be ended by it. Prints "skip" in a build without
 * AddressSanitizer.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault/large_calls.h"
#include "tests/test.h"

enum { SIZE = 300001 };

/* Volatile, so that the compiler does not know the value. */
static uint8_t *volatile block, *volatile moved;

static void write_behind(void)
{
	block[SIZE] = 1;
}

static void write_before(void)
{
	block[-1] = 1;
}

static void write_freed(void)
{
	free(block);
	block[SIZE / 2] = 1;
}

static void write_moved(void)
{
	moved = realloc(block, SIZE + 1);
	block[0] = 1;
}

static void free_twice(void)
{
	free(block);
	free(block);
}

static void free_inside(void)
{
	moved = block + 64;
	free(moved);
}

static bool ends(void (*mistake)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		stderr = freopen("/dev/null", "w", stderr);
		block = malloc(SIZE);
		mistake();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status;
}

/* Contents survive realloc(), calloc() is zero even where a block was used before. */
static bool keeps_contents(void)
{
	bool right = true;

	for (int i = 0; i < 4 * LARGE_WAIT && right; i++) {
		uint8_t *bytes = calloc(1, SIZE), *other;

		if (!bytes)
			return false;
		for (size_t k = 0; k < SIZE; k++)
			right &= !bytes[k];
		memset(bytes, 7, SIZE);
		other = realloc(bytes, SIZE << (i % 3));
		right &= other && other[0] == 7 && other[SIZE - 1] == 7;
		free(other);
	}
	return right && !large_blocks_used();
}

int main(void)
{
	static const struct {
		const char *name;
		void (*mistake)(void);
	} mistakes[] = {{"behind", write_behind}, {"before", write_before}, {"freed", write_freed},
			{"moved", write_moved}, {"twice", free_twice}, {"inside", free_inside}};
	bool right = keeps_contents(), all = right;

	printf("%s large-blocks-contents\n", right ? "ok" : "not ok");
#ifdef __SANITIZE_ADDRESS__
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		right = ends(mistakes[i].mistake);
		printf("%s large-blocks-%s\n", right ? "ok" : "not ok", mistakes[i].name);
		all &= right;
	}
#else
	printf("skip large-blocks - no AddressSanitizer in this build\n");
	(void)mistakes, (void)ends;
#endif
	return !all;
}
