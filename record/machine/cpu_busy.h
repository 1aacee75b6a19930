/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How long each CPU ran tasks between two readings of /proc/stat. A CPU that is halted, that
 * serves interrupts in its idle task, or that the hypervisor gave to another guest has no sample
 * to deliver, and only the kernel's account shows which CPUs were.
 *
 * The account has two answers: what the tick found running (user, nice, system), and the elapsed
 * time without the idle time. The first is a sample of one tick in 1 to 10 ms; the second includes
 * interrupts of the idle task and stolen time. Either may be too high, so the lower one is used.
 */
#ifndef RWALKER_RECORD_MACHINE_CPU_BUSY_H
#define RWALKER_RECORD_MACHINE_CPU_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * Parses the rows "cpuN user nice system idle iowait ..." of a text, in ticks (`ticks` per
 * second), into accounts by CPU, below count.
 */
void cpu_busy_parse(const char *text, long ticks, struct cpu_account *accounts, uint32_t count);

#endif
