/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which CPUs there are. `possible` never changes while the machine runs; `online` does, and is read again every
 * second. Bitmaps of RWK_MAX_CPUS bits; plain data.
 */
#ifndef RWALKER_RECORD_CPUS_H
#define RWALKER_RECORD_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/limits.h"

struct cpu_set {
	uint64_t words[RWK_MAX_CPUS / 64];
};

static inline bool cpu_set_has(const struct cpu_set *set, uint32_t cpu)
{
	return set->words[cpu / 64] >> (cpu % 64) & 1;
}

struct cpus {
	struct cpu_set all;    /* possible ones */
	struct cpu_set wanted; /* -P, else all */
	uint32_t possible;     /* one more than the largest possible CPU's number */
	int online_fd;	       /* /sys/devices/system/cpu/online, held open so that a jailed recorder can read it again */
};

/* list: the value of -P or NULL. -EINVAL after it said why. */
int cpus_open(struct cpus *cpus, const char *list);
void cpus_close(struct cpus *cpus);

/* The wanted CPUs that are online now. */
int cpus_online(const struct cpus *cpus, struct cpu_set *ret_set);

#endif
