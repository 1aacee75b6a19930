/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * moved_asleep ROUNDS WANTED: a thread that has run for more than its share goes to sleep beside a
 * busy one, and is moved to another CPU at once. Linux 6.12 and later keep it on the run queue for
 * a moment, and then account the move as the begin of a wait for a CPU. Ends after ROUNDS rounds,
 * or after WANTED in which the kernel's own account shows that. For each round it prints, in ns of
 * CLOCK_MONOTONIC,
 *
 *     round TID BEGIN END LATE CHARGED
 *
 * It slept from BEGIN until END, LATE after the requested time; CHARGED is what the kernel counted
 * as time on run queues meanwhile. A round in which it got a CPU only after the requested time, and
 * did not sleep, is not printed.
 */
#include "waits_truth.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { RUN_NS = 3500 * 1000, SLEEP_NS = 50 * NS_PER_MS, CHARGED_NS = 20 * NS_PER_MS };

struct stage {
	atomic_int asked, asleep, awake; /* the latest round */
	uint64_t begin, end, late;
	bool slept;
};

static void move(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set) < 0)
		fault("sched_setaffinity");
}

static uint64_t charged(pid_t pid)
{
	unsigned long long ran, waited;
	char path[64];
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu %llu", &ran, &waited) != 2)
		fault("schedstat");
	(void)fclose(file);
	return waited;
}

/* How often this process, which has one thread, has slept. */
static long sleeps(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		fault("getrusage");
	return usage.ru_nvcsw;
}

static void sleep_round(struct stage *stage, int cpu)
{
	uint64_t until;
	struct timespec moment;
	long before;

	move(0, cpu);
	before = sleeps(); /* right before the sleep, this call would update the account of the thread's share */
	until = clock_ns(CLOCK_MONOTONIC) + RUN_NS;
	while (clock_ns(CLOCK_MONOTONIC) < until)
		;
	stage->begin = clock_ns(CLOCK_MONOTONIC);
	until = stage->begin + SLEEP_NS;
	moment = (struct timespec){(time_t)(until / NS_PER_S), (long)(until % NS_PER_S)};
	atomic_store(&stage->asleep, atomic_load(&stage->asked));
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
	stage->end = clock_ns(CLOCK_MONOTONIC);
	stage->late = stage->end - until;
	stage->slept = sleeps() > before;
	atomic_store(&stage->awake, atomic_load(&stage->asked));
}

static void sleep_when_asked(struct stage *stage, int cpu)
{
	for (int round = 1;; round++) {
		while (atomic_load(&stage->asked) < round)
			usleep(100);
		sleep_round(stage, cpu);
	}
}

static pid_t start(const char *comm, struct stage *stage, int cpu)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, comm);
	move(0, cpu);
	if (stage)
		sleep_when_asked(stage, cpu);
	for (;;)
		;
}

/* Returns whether the thread slept and the kernel charged that. */
static int play(struct stage *stage, pid_t sleeper, int round, int cpu)
{
	uint64_t before;

	atomic_store(&stage->asked, round);
	while (atomic_load(&stage->asleep) < round)
		;
	before = charged(sleeper);
	move(sleeper, cpu);
	while (atomic_load(&stage->awake) < round)
		usleep(1000);
	before = charged(sleeper) - before;
	if (!stage->slept)
		return 0;
	printf("round %d %lu %lu %lu %lu\n", sleeper, stage->begin, stage->end, stage->late, before);
	return before > CHARGED_NS && stage->late < CHARGED_NS / 2;
}

int main(int argc, char **argv)
{
	struct stage *stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int cpus[2], found = 0, wanted = argc == 3 ? atoi(argv[2]) : 0;
	pid_t sleeper, burner;
	cpu_set_t allowed;

	if (argc != 3 || stage == MAP_FAILED || sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return 2;
	for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[found++] = cpu;
	if (found < 2)
		return 77;
	burner = start("moved_busy", NULL, cpus[0]);
	sleeper = start("moved_asleep", stage, cpus[0]);
	move(0, cpus[1]);
	for (int round = 1; round <= atoi(argv[1]) && wanted > 0; round++)
		wanted -= play(stage, sleeper, round, cpus[1]);
	kill(burner, SIGKILL);
	kill(sleeper, SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
