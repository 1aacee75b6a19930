/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The scheduler's own clock, which user space cannot read, against CLOCK_MONOTONIC. */
#ifndef RWALKER_RECORD_SCHED_CLOCK_H
#define RWALKER_RECORD_SCHED_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct probe;

/* Whether it runs at the pace of CLOCK_MONOTONIC, and alike on all CPUs: where both come from the same counter. */
bool sched_clock_is_steady(void);

/* CLOCK_MONOTONIC - sched_clock, ns (may wrap), right within microseconds. Sleeps a little. */
int sched_clock_offset(const struct probe *probe, uint64_t *ret_offset);

#endif
