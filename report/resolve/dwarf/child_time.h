/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The limit of CPU time (RLIMIT_CPU, --max-seconds) holds for this process and the children that
 * it has waited for together, while the kernel counts each of them by itself: what a child took is
 * taken off our own limit.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_CHILD_TIME_H
#define RWALKER_REPORT_RESOLVE_DWARF_CHILD_TIME_H

#include <stdint.h>

/* CPU time of the children so far, to the nearest second. */
uint64_t child_time_seconds(void);

/*
 * After a child: `before` is what child_time_seconds() was. If nothing is left of the limit, the
 * handler of SIGXCPU is run, as if the kernel had noticed.
 */
void child_time_charge(uint64_t before);

#endif
