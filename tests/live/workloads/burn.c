/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * burn COMM SECONDS [user|kernel [PERCENT]]: burns that much CPU time under the name COMM, in
 * burn_user or, by reading /dev/zero, in burn_kernel. For tests of who was recorded. It takes
 * PERCENT (100) of a CPU's time, in slices of a few milliseconds, and leaves the rest to others.
 */
#include "workload.h"

void burn_user(struct pace *pace)
{
	uint64_t x = pace->stop_at;

	while (pace_goes_on(pace))
		BURN_SLICE(x);
}

void burn_kernel(struct pace *pace)
{
	char buffer[65536];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (pace_goes_on(pace))
		if (read(fd, buffer, sizeof(buffer)) < 0)
			abort();
	close(fd);
}

int main(int argc, char **argv)
{
	struct pace pace = pace_begin(seconds_arg(argc, argv, 2, 2), argc > 4 ? argv[4] : "100");

	if (argc > 1)
		prctl(PR_SET_NAME, argv[1]);
	if (argc > 3 && strcmp(argv[3], "kernel") == 0)
		burn_kernel(&pace);
	else
		burn_user(&pace);
	return 0;
}
