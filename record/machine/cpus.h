/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which CPUs there are. `possible` never changes while the machine runs; `online` does, and is
 * read again every second. Bitmaps of RWK_MAX_CPUS bits; plain data.
 */
#ifndef RWALKER_RECORD_MACHINE_CPUS_H
#define RWALKER_RECORD_MACHINE_CPUS_H

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

static inline void cpu_set_add(struct cpu_set *set, uint32_t cpu)
{
	set->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static inline uint32_t cpu_set_count(const struct cpu_set *set)
{
	uint32_t count = 0;

	for (uint32_t word = 0; word < RWK_MAX_CPUS / 64; word++)
		count += (uint32_t)__builtin_popcountll(set->words[word]);
	return count;
}

struct cpus {
	struct cpu_set all;    /* possible ones */
	struct cpu_set wanted; /* -P, else all */
	uint32_t possible;     /* the largest possible CPU number plus one */
	/* /sys/devices/system/cpu/online, held open so that a jailed recorder can read it again. */
	int online_fd;
};

/* list: the value of -P or NULL. 0, or -EINVAL after reporting why. */
int cpus_open(struct cpus *cpus, const char *list);
void cpus_close(struct cpus *cpus);

/* The CPUs that are online now; those of them that are wanted. */
int cpus_online_all(const struct cpus *cpus, struct cpu_set *ret_set);
int cpus_online(const struct cpus *cpus, struct cpu_set *ret_set);

#endif
