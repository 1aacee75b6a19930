/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spin N : waits for a spinlock on a kernel with PREEMPT_RT, where such waits sleep, until N of
 * them were long. Prints
 *
 *	w-spin dup2 OWNER
 *
 * Two threads, each on its own CPU, use the same table of descriptors, which a spinlock guards.
 * Sometimes a thread of higher priority preempts one of them for a few milliseconds; if the
 * preempted thread holds the lock, the other one waits.
 */
#define _GNU_SOURCE
#include "../../live/workloads/sleeping.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BURN_US = 3000, LONG_US = 2000, FREE = 50 /* so the table need not grow */, TURNS = 4000 };

static pid_t owner;
static pthread_barrier_t both;
static volatile bool stop;

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void go_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	must(!sched_setaffinity(0, sizeof(cpus), &cpus), "sched_setaffinity");
}

static long sleeps(void)
{
	struct rusage usage;

	must(!getrusage(RUSAGE_THREAD, &usage), "getrusage");
	return usage.ru_nvcsw;
}

static void change_table(int descriptor)
{
	must(dup2(0, descriptor) == descriptor && !close(descriptor), "dup2");
}

static bool slept_for_long(void)
{
	const long before = sleeps(), from = now_us();

	change_table(FREE + 1);
	return sleeps() > before && now_us() - from >= LONG_US;
}

static void *hold(void *unused)
{
	prctl(PR_SET_NAME, "h-spin");
	go_to(0);
	owner = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&both);
	while (!stop)
		change_table(FREE);
	return unused;
}

static void *disturb(void *unused)
{
	const struct sched_param priority = {.sched_priority = 50};

	prctl(PR_SET_NAME, "disturber");
	go_to(0);
	must(!sched_setscheduler(0, SCHED_FIFO, &priority), "sched_setscheduler");
	while (!stop) {
		const long from = now_us();

		while (now_us() - from < BURN_US)
			;
		rest_us(BURN_US);
	}
	return unused;
}

int main(int argc, char **argv)
{
	const int rounds = argc == 2 ? atoi(argv[1]) : 0;
	const long from = now_us();
	pthread_t threads[2];
	int slept = 0;

	must(rounds > 0, "usage: spin N");
	pthread_barrier_init(&both, NULL, 2);
	prctl(PR_SET_NAME, "w-spin");
	must(!pthread_create(&threads[0], NULL, hold, NULL), "pthread_create");
	pthread_barrier_wait(&both);
	must(!pthread_create(&threads[1], NULL, disturb, NULL), "pthread_create");
	go_to(1);
	while (slept < rounds && now_us() - from < (long)TURNS * 2 * BURN_US)
		slept += slept_for_long();
	stop = true;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("w-spin dup2 %d\n", owner);
	if (slept < rounds)
		fprintf(stderr, "spin: slept %d times\n", slept);
	return slept < rounds;
}
