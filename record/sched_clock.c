/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/sched_clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "record/probe.h"

enum { CLOCK_TRIES = 8, CLOCK_SLEEP_NS = 20000 };

/*
 * After a sleep our own last arrival is a moment ago: each reading is too large by
 * what passed since, so the least of a few is right within microseconds.
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

/* x86: the time stamp counter, once the kernel has found that it can be relied upon; arm64: there is only one counter. */
bool sched_clock_is_steady(void)
{
	_cleanup_fclose_ FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	char name[32] = "";

	if (!file || !fgets(name, sizeof(name), file))
		return false;
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, "tsc") || !strcmp(name, "arch_sys_counter");
}
