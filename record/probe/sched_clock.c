/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/sched_clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <time.h>

#include "common/cleanup.h"
#include "record/host/host.h"
#include "record/probe/probe.h"

enum {
	CLOCK_TRIES = 8,
	CLOCK_SLEEP_NS = 20000,
	READING_NS = 500000, /* possible error of a reading on a busy machine */
	DRIFT_PART = 1000,   /* of the time that passed: twice what network time synchronization may add */
};

/*
 * After a sleep our own last arrival is a moment ago: each reading is too large by the time
 * since, so the smallest of a few is accurate to microseconds.
 */
int sched_clock_offset(const struct probe *probe, uint64_t *ret_offset)
{
	const struct timespec sleep = {.tv_nsec = CLOCK_SLEEP_NS};
	int64_t least = INT64_MAX;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		struct ring_clock clock = {0};
		int r;

		(void)nanosleep(&sleep, NULL);
		r = probe_read_clock(probe, &clock);
		if (r < 0)
			return r;
		if ((int64_t)(clock.monotonic - clock.last_arrival) < least)
			least = (int64_t)(clock.monotonic - clock.last_arrival);
	}
	*ret_offset = (uint64_t)least;
	return 0;
}

/* The kernel logs this at boot, and again when it changes. What is gone of the log is older than what is left. */
static int log_calls_it_stable(void)
{
	enum { READ_ALL = 3, SIZE = 10 };
	int size = klogctl(SIZE, NULL, 0);
	_cleanup_free_ char *text = size > 0 ? malloc((size_t)size + 1) : NULL;
	int length = text ? klogctl(READ_ALL, text, size) : -1;

	if (length < 0)
		return -ENOENT;
	text[length] = '\0';
	return sched_clock_in_log(text);
}

int sched_clock_in_log(const char *log)
{
	static const char said[] = "sched_clock: Marking ", yes[] = "stable ", no[] = "unstable ";
	int stable = -ENOENT;

	for (log = strstr(log, said); log; log = strstr(log, said)) {
		log += sizeof(said) - 1;
		if (!strncmp(log, yes, sizeof(yes) - 1))
			stable = 1;
		else if (!strncmp(log, no, sizeof(no) - 1))
			stable = 0;
	}
	return stable;
}

/* The BPF program takes longer than even the longest log: libbpf reads all of the kernel's names for it. */
static bool kernel_calls_it_stable(void)
{
	int stable = log_calls_it_stable();

	if (stable < 0)
		stable = probe_sched_clock_is_stable();
	return stable > 0;
}

/*
 * If time is read from the CPU's own counter, the kernel has found it reliable. For other sources, such as a
 * hypervisor's, the kernel knows more than the name shows: some hosts keep theirs in step on all CPUs, some do not.
 */
bool sched_clock_is_steady(void)
{
	char name[32] = "";

	small_file_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, "tsc") || !strcmp(name, "arch_sys_counter") || kernel_calls_it_stable();
}

bool sched_clock_drifts(struct sched_clock_watch *watch, uint64_t now, uint64_t offset)
{
	uint64_t since = now - watch->at, moved = offset - watch->offset;
	bool first = !watch->at;

	if ((int64_t)moved < 0)
		moved = -moved;
	watch->at = now;
	watch->offset = offset;
	return !first && moved > READING_NS + since / DRIFT_PART;
}
