/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cycles EVENTS : counts hardware cycles on every CPU, EVENTS times over, until it is killed:
 *                 enough to multiplex the counters.
 * cycles watch  : counts them once, samples nothing, and every 20 ms prints the count so far of
 *                 each CPU, as lines
 *
 *     cycles CPU CLOCK_MONOTONIC COUNT
 */
#include "guest.h"

#include <linux/perf_event.h>
#include <sched.h>

enum { EVENTS_MAX = 16, LOOK_NS = 20000000, READS = 8 };

static int open_cycles(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_guest = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

	if (fd < 0)
		die("cycles");
	return fd;
}

/* The shortest of several reads: the reader may have been interrupted before or after a read. */
static void look(int fd, int cpu)
{
	uint64_t shortest = UINT64_MAX, time = 0, count = 0;
	char line[96];
	int len;

	for (int i = 0; i < READS; i++) {
		uint64_t before = now_ns(), took, now;

		if (read(fd, &now, sizeof(now)) != sizeof(now))
			die("read");
		took = now_ns() - before;
		if (took >= shortest)
			continue;
		shortest = took;
		time = before + took / 2;
		count = now;
	}
	len = snprintf(line, sizeof(line), "cycles %d %llu %llu\n", cpu, (unsigned long long)time,
		       (unsigned long long)count);
	if (write(STDOUT_FILENO, line, (size_t)len) != len)
		die("stdout");
}

/* Runs on that CPU with priority over all other tasks there, so that a reading is short. */
static _Noreturn void watch(int cpu)
{
	const struct timespec pause_for = {.tv_nsec = LOOK_NS};
	struct sched_param first = {.sched_priority = 1};
	int fd = open_cycles(cpu);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_FIFO, &first))
		die("watch");
	prctl(PR_SET_PDEATHSIG, 15);
	for (;;) {
		look(fd, cpu);
		nanosleep(&pause_for, NULL);
	}
}

int main(int argc, char **argv)
{
	bool watches = argc > 1 && !strcmp(argv[1], "watch");
	int events = argc > 1 ? atoi(argv[1]) : 1, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

	if (!watches && (events < 1 || events > EVENTS_MAX))
		return 2;
	for (int cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; watches ? i < 1 : i < events; i++) {
			if (!watches)
				(void)open_cycles(cpu);
			else if (!fork())
				watch(cpu);
		}
	for (;;)
		pause();
}
