/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Limits what a hostile trace can make the reporter use: address space and CPU time. Also forbids
 * core files, which would contain the trace's content. The kernel enforces these limits.
 */
#ifndef RWALKER_REPORT_REPORT_LIMITS_H
#define RWALKER_REPORT_REPORT_LIMITS_H

#include <stdint.h>

/*
 * Bytes and seconds, 0: no limit; without a limit from the user (UINT64_MAX) 2 GB, or a third of what there is, if that is
 * less. 0, or -errno after reporting why.
 */
int report_limits_set(uint64_t memory, int64_t cpu_seconds);

#endif
