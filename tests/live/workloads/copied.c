/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Burns argv[2] tenths of a second (5) of CPU time in code that is in anonymous memory. argv[1]:
 *	moved	a copy of the program's code was moved to its place, as programs do to get large pages
 *	told	the same, and the kernel reports a mapping there
 *	beside	the copy is somewhere else, and nothing shows what it is a copy of
 * Prints "ready" when the code is in place.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef void function(volatile uint32_t *value);

extern const char etext;
static volatile uint32_t sink;

/* Calls nothing and contains no address, so that it runs anywhere. */
__attribute__((noinline, aligned(64))) static void copied_burns(volatile uint32_t *value)
{
	uint32_t x = *value;

	for (int i = 0; i < 300000; i++)
		x = x * 1664525 + (x >> 7);
	*value = x;
}

static char *page_of(uintptr_t address)
{
	return (char *)(address & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1));
}

static char *copy_of(const char *code, size_t size)
{
	char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return copy == MAP_FAILED ? NULL : memcpy(copy, code, size);
}

/*
 * Replaces the mapping in one system call, so that the code is never missing. Watchers of mappings
 * do not see this call, but they see the other one.
 */
static int replace(const char *how, char *code, char *copy, size_t size)
{
	if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, code) == MAP_FAILED)
		return 1;
	return strcmp(how, "moved") ? mprotect(code, size, PROT_READ | PROT_EXEC) : 0;
}

int main(int argc, char **argv)
{
	char *code = page_of((uintptr_t)copied_burns), *end = page_of((uintptr_t)&etext) + sysconf(_SC_PAGESIZE);
	function *burn = copied_burns;
	char *copy = copy_of(code, (size_t)(end - code));
	clock_t stop;

	if (!copy || argc < 2)
		return 1;
	if (!strcmp(argv[1], "beside"))
		burn = (function *)(uintptr_t)(copy + ((uintptr_t)copied_burns - (uintptr_t)code));
	else if (replace(argv[1], code, copy, (size_t)(end - code)))
		return 1;
	(void)puts("ready");
	(void)fflush(stdout);
	for (stop = clock() + (argc > 2 ? strtol(argv[2], NULL, 10) : 5) * (CLOCKS_PER_SEC / 10); clock() < stop;)
		burn(&sink);
	return 0;
}
