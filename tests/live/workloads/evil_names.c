/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * evil_names DIR SECONDS: burns CPU under a comm, from a path and in a function
 * whose names have terminal escape sequences: set the title, clear the screen,
 * a new line, a carriage return and an 8-bit control character (CSI, 0x9b).
 *
 * A compiler writes no such symbol, so the program copies itself and patches the
 * name of evil_placeholder in the copy's symbol table.
 */
#include "copy.h"
#include "truth.h"

#include <limits.h>
#include <string.h>
#include <sys/prctl.h>

#define PLACE "evil_" "placeholder"
static const char evil_symbol[] = "ev\033[2J\n\rsym\233m\007__";	/* as long as PLACE */
_Static_assert(sizeof(evil_symbol) == sizeof(PLACE), "names must be equally long");

void evil_placeholder(uint64_t stop_at)
{
	uint64_t x = stop_at;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < stop_at)
		BURN_SLICE(x);
}

/* Patches every "\0evil_placeholder\0". The pattern is put together from two halves, so as not to find itself. */
static int symbol_patch(char *bytes, size_t size)
{
	char needle[sizeof(PLACE) + 1] = { 0 };
	int found = 0;

	memcpy(needle + 1, "evil_", 5);
	memcpy(needle + 6, "placeholder", 11);
	for (size_t i = 0; i + sizeof(needle) <= size; i++)
		if (memcmp(bytes + i, needle, sizeof(needle)) == 0) {
			memcpy(bytes + i + 1, evil_symbol, sizeof(evil_symbol) - 1);
			found++;
		}
	return found ? 0 : -1;
}

/* A different program needs a different build-id: with the old one it would get the names of the original. */
static int build_id_patch(char *bytes, size_t size)
{
	static const char NOTE[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};

	for (size_t i = 0; i + sizeof(NOTE) + 20 <= size; i += 4)
		if (!memcmp(bytes + i, NOTE, sizeof(NOTE))) {
			bytes[i + sizeof(NOTE)] ^= 0x5a;
			return 0;
		}
	return -1;
}

static int evil_copy(const char *path)
{
	char *bytes = NULL;
	size_t size = 0;
	int failed = self_read(&bytes, &size) || symbol_patch(bytes, size) || build_id_patch(bytes, size) ||
		     program_write(path, bytes, size);

	free(bytes);
	return failed ? -1 : 0;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];

	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "--burn") == 0) {
		prctl(PR_SET_NAME, "c\033]0;x\007\n\033[2J");
		evil_placeholder(clock_ns(CLOCK_PROCESS_CPUTIME_ID) + seconds_arg(argc, argv, 2, 2));
		return 0;
	}
	snprintf(path, sizeof(path), "%s/p\033]0;owned\007\n\033[2J", argv[1]);
	if (evil_copy(path))
		return 1;
	execl(path, path, "--burn", argv[2], (char *)NULL);
	return 1;
}
