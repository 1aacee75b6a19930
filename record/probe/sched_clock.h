/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The scheduler's own clock, which user space cannot read, relative to CLOCK_MONOTONIC. */
#ifndef RWALKER_RECORD_PROBE_SCHED_CLOCK_H
#define RWALKER_RECORD_PROBE_SCHED_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct probe;

/*
 * Whether it runs at the pace of CLOCK_MONOTONIC and is the same on all CPUs: true if both come from the same counter.
 */
bool sched_clock_is_steady(void);

/*
 * Reads the kernel's log, which says when the kernel begins to rely on the clock and when it stops.
 * 1 if it relies on the clock now, 0 if not; -ENOENT: the log does not say.
 */
int sched_clock_in_log(const char *log);

struct sched_clock_watch {
	uint64_t at, offset; /* of the last reading; at 0: none */
};

/*
 * Whether the clock has drifted from CLOCK_MONOTONIC since the last reading, by more than two steady clocks may differ.
 */
bool sched_clock_drifts(struct sched_clock_watch *watch, uint64_t now, uint64_t offset);

/* CLOCK_MONOTONIC - sched_clock, ns (may wrap), accurate to microseconds. Sleeps briefly. 0, -errno. */
int sched_clock_offset(const struct probe *probe, uint64_t *ret_offset);

#endif
