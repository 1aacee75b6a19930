/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which CPUs there are. `possible` never changes while the machine runs; `online` does, and is
 * read again every second. Bitmaps of RWK_MAX_CPUS bits; plain data.
 */
#ifndef RWALKER_RECORD_HOST_CPUS_H
#define RWALKER_RECORD_HOST_CPUS_H

#include <stdbool.h>
#include <stddef.h>
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

/*
 * How long each CPU ran tasks between two readings of /proc/stat. A CPU that is halted, that
 * serves interrupts in its idle task, or that the hypervisor gave to another guest has no sample
 * to deliver, and only the kernel's account shows which CPUs were.
 *
 * The account has two answers: what the tick found running (user, nice, system), and the elapsed
 * time without the idle time. The first is a sample of one tick in 1 to 10 ms; the second includes
 * interrupts of the idle task and stolen time. Either may be too high, so the lower one is used.
 */

enum { CPU_BUSY_ERROR = 30 * 1000 * 1000 }; /* ns: three figures, each truncated to ticks of 10 ms */

struct cpu_account {
	uint64_t ran, idle; /* ns since boot; both 0: the CPU was absent */
};

struct cpu_busy {
	int fd; /* held open, because it is read again when files can no longer be opened; -1: nothing is known */
	uint32_t count;
	char *text;
	size_t room;
	struct cpu_account *begin, *end; /* by CPU */
};

/* For CPUs below count. 0, -ENOMEM; without /proc/stat, nothing will be known. */
int cpu_busy_open(struct cpu_busy *busy, uint32_t count);
void cpu_busy_close(struct cpu_busy *busy);

void cpu_busy_begin(struct cpu_busy *busy);
void cpu_busy_end(struct cpu_busy *busy);

/* How long the CPU ran tasks between the last two readings, in ns. False: unknown. */
bool cpu_busy_time(const struct cpu_busy *busy, uint32_t cpu, uint64_t elapsed, uint64_t *ret_ns);

#endif
