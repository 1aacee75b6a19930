/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * deleted PATH SECONDS: copies itself to PATH, execs the copy, and the copy
 * deletes its own file before it burns that much CPU time in burn_deleted.
 */
#include "copy.h"
#include "truth.h"

#include <string.h>

void burn_deleted(uint64_t stop_at)
{
	uint64_t x = stop_at;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < stop_at)
		BURN_SLICE(x);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "--burn") != 0) {
		char *next[] = { argv[1], "--burn", argv[2], NULL };

		if (!self_copy(argv[1]))
			execv(argv[1], next);
		return 1;
	}
	if (unlink(argv[0]) < 0)
		return 1;
	burn_deleted(clock_ns(CLOCK_PROCESS_CPUTIME_ID) + seconds_arg(argc, argv, 2, 2));
	return 0;
}
