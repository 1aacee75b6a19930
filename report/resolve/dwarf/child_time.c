/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf/child_time.h"

#include <signal.h>
#include <sys/resource.h>

enum { MICROSECONDS = 1000000 };

/* Rounded to the nearest second: the kernel ends a process some microseconds before its last second is full. */
static uint64_t seconds_of(int who)
{
	struct rusage used;

	if (getrusage(who, &used))
		return 0;
	return (uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec +
	       (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec + MICROSECONDS / 2) / MICROSECONDS;
}

uint64_t child_time_seconds(void)
{
	return seconds_of(RUSAGE_CHILDREN);
}

/* In a jail a process may not send itself a signal. */
static void run_handler(void)
{
	struct sigaction action;

	if (sigaction(SIGXCPU, NULL, &action) || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
		return;
	action.sa_handler(SIGXCPU);
}

void child_time_charge(uint64_t before)
{
	const uint64_t spent = child_time_seconds() - before;
	struct rlimit limit;

	if (!spent || getrlimit(RLIMIT_CPU, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return;
	limit.rlim_cur = limit.rlim_cur > spent ? limit.rlim_cur - spent : 0;
	if (limit.rlim_cur <= seconds_of(RUSAGE_SELF))
		run_handler();
	else
		(void)setrlimit(RLIMIT_CPU, &limit);
}
