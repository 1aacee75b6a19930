/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The scheduler's own clock, which user space cannot read, against CLOCK_MONOTONIC. */
#ifndef RWALKER_RECORD_SCHED_CLOCK_H
#define RWALKER_RECORD_SCHED_CLOCK_H

#include <stdint.h>

struct probe;

/* CLOCK_MONOTONIC - sched_clock, ns (may wrap), right within microseconds. Sleeps a little. */
int sched_clock_offset(const struct probe *probe, uint64_t *ret_offset);

#endif
