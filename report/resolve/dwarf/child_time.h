/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The limit of CPU time (RLIMIT_CPU, --max-seconds) applies to this process together with the
 * children that it has waited for. The kernel limits each process separately, so the time of each
 * child is subtracted from our own limit.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_CHILD_TIME_H
#define RWALKER_REPORT_RESOLVE_DWARF_CHILD_TIME_H

#include <stdint.h>

/* CPU time of the children so far, to the nearest second. */
uint64_t child_time_seconds(void);

/*
 * Call it after a child has ended; `before` is what child_time_seconds() returned before that. If
 * nothing is left of the limit, runs the handler of SIGXCPU, as if the kernel had sent the signal.
 */
void child_time_charge(uint64_t before);

#endif
