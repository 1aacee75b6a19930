/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The most memory that this process can have: that of the machine (proc_meminfo(5)), or less if one
 * of its control groups has a limit (memory.max of cgroup v2, memory.limit_in_bytes of v1). There
 * is no limit where nothing can be read.
 */
#ifndef RWALKER_REPORT_HOST_MEMORY_H
#define RWALKER_REPORT_HOST_MEMORY_H

#include <stdint.h>

/* Bytes; UINT64_MAX: unknown. `proc` and `groups` are the mount points: "/proc", "/sys/fs/cgroup". */
uint64_t host_memory(const char *proc, const char *groups);

#endif
