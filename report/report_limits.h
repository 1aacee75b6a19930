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

/*
 * The most memory that this process can have: that of the machine (proc_meminfo(5)), or less if one
 * of its control groups has a limit (memory.max of cgroup v2, memory.limit_in_bytes of v1). Bytes;
 * UINT64_MAX: nothing can be read. `proc` and `groups` are the mount points: "/proc", "/sys/fs/cgroup".
 */
uint64_t host_memory(const char *proc, const char *groups);

#endif
