/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How much memory this process can have at most: that of the machine (proc_meminfo(5)), or less, if a control group
 * around it has a limit (memory.max of cgroup v2, memory.limit_in_bytes of v1). Where nothing can be read, there is no
 * limit.
 */
#ifndef RWALKER_REPORT_HOST_MEMORY_H
#define RWALKER_REPORT_HOST_MEMORY_H

#include <stdint.h>

/* Bytes; UINT64_MAX: unknown. `proc` and `groups` are where these are mounted: "/proc", "/sys/fs/cgroup". */
uint64_t host_memory(const char *proc, const char *groups);

#endif
