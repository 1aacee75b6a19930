/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Bounds on what a hostile trace can make the reporter use: address space, CPU time, no core file (it would
 * hold what the trace holds). The kernel enforces them.
 */
#ifndef RWALKER_REPORT_REPORT_LIMITS_H
#define RWALKER_REPORT_REPORT_LIMITS_H

#include <stdint.h>

/* Bytes and seconds, 0: no limit. 0, or -errno after it said why. */
int report_limits_set(uint64_t memory, int64_t cpu_seconds);

#endif
