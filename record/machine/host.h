/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the trace says about where and how it was made: META records (FORMAT.md §5). Only the name
 * of the command after "--" is kept, never its arguments or an environment.
 */
#ifndef RWALKER_RECORD_MACHINE_HOST_H
#define RWALKER_RECORD_MACHINE_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* All threads of the machine. 0: unknown. */
uint32_t host_threads(void);

/* Bytes that can be taken without swapping. 0: unknown. */
uint64_t host_memory_free(void);

/* Whether any controller has a cgroup v1 hierarchy: then containers may be only in that one. */
bool host_has_cgroups_v1(void);

int host_describe(struct recording *recording);

#endif
