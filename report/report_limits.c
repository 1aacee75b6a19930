/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_limits.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/log.h"
#include "report/host_memory.h"

enum {
	LAST_SECONDS = 5, /* between the signal and the kill */
	SHARE = 3,	  /* of the memory there is: readers of DWARF may take twice as much in sum (line_child.c) */
};
static const uint64_t USUAL_MEMORY = UINT64_C(2) << 30;

/* Defined by AddressSanitizer, whose shadow memory exceeds any limit; absent without it. */
extern void __asan_init(void) __attribute__((weak));

static int lower(int resource, rlim_t soft, rlim_t hard, const char *what)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return log_error(errno, "cannot read the limit of %s: %s", what, strerror(errno));
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < hard)
		hard = limit.rlim_max;
	if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < soft)
		soft = limit.rlim_cur;
	limit.rlim_max = hard;
	limit.rlim_cur = soft < hard ? soft : hard;
	if (setrlimit(resource, &limit) < 0)
		return log_error(errno, "cannot limit %s: %s", what, strerror(errno));
	return 0;
}

static void out_of_time(int signal_number)
{
	static const char text[] =
		"rwalker-report: error: the limit of CPU time was reached; --max-seconds raises it\n";

	(void)signal_number;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

int report_limits_set(uint64_t memory, int64_t cpu_seconds)
{
	int r = lower(RLIMIT_CORE, 0, 0, "core files");

	if (memory == UINT64_MAX) {
		const uint64_t share = host_memory("/proc", "/sys/fs/cgroup") / SHARE;

		memory = share < USUAL_MEMORY ? share : USUAL_MEMORY;
	}
	if (!r && memory && !__asan_init)
		r = lower(RLIMIT_AS, memory, memory, "memory");
	if (!r && cpu_seconds) {
		(void)signal(SIGXCPU, out_of_time);
		r = lower(RLIMIT_CPU, (rlim_t)cpu_seconds, (rlim_t)cpu_seconds + LAST_SECONDS, "CPU time");
	}
	return r;
}
