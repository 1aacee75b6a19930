/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * burn COMM SECONDS [user|kernel]: burns that much CPU time under the name COMM, in
 * burn_user or, by reading /dev/zero, in burn_kernel. For tests of who was recorded.
 */
#include "truth.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void burn_user(uint64_t stop_at)
{
	uint64_t x = stop_at;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < stop_at)
		BURN_SLICE(x);
}

void burn_kernel(uint64_t stop_at)
{
	char buffer[65536];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < stop_at)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			abort();
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t stop_at = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + seconds_arg(argc, argv, 2, 2);

	if (argc > 1)
		prctl(PR_SET_NAME, argv[1]);
	if (argc > 3 && strcmp(argv[3], "kernel") == 0)
		burn_kernel(stop_at);
	else
		burn_user(stop_at);
	return 0;
}
