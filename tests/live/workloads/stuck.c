/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * stuck SECONDS [BUSY]: burns BUSY seconds of CPU, then is in D for SECONDS as the
 * parent of a vfork whose child sleeps. Before that it prints
 *
 *     stuck PID CLOCK_MONOTONIC_NS
 */
#include "truth.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void stuck_parent(uint64_t sleep_ns)
{
	struct timespec rest = { (time_t)(sleep_ns / NS_PER_S), (long)(sleep_ns % NS_PER_S) };
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		nanosleep(&rest, NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
}

int main(int argc, char **argv)
{
	uint64_t x = 1, busy_until = clock_ns(CLOCK_MONOTONIC) + seconds_arg(argc, argv, 2, 0);

	prctl(PR_SET_NAME, "stuck_parent");
	while (clock_ns(CLOCK_MONOTONIC) < busy_until)
		BURN_SLICE(x);
	printf("stuck %d %llu\n", (int)getpid(), (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	fflush(stdout);
	stuck_parent(seconds_arg(argc, argv, 1, 5));
	return 0;
}
