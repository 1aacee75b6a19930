/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * quota NAME THREADS MS NAP_US GROUP : enters the control group GROUP ("-": none), and computes in threads named
 * NAMEi, bound to CPUs in turn, for MS ms. After each ms of computing, a thread sleeps for NAP_US (0: never). Each
 * prints
 *
 *	quota NAMEi TID RAN QUEUED	ns that it ran, and was on run queues so far, by the kernel's count
 */
#define _GNU_SOURCE
#include "sleeping.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static const char *name;
static double seconds;
static long nap_us;

static double clock_read(clockid_t clock)
{
	struct timespec time;

	must(!clock_gettime(clock, &time), "clock_gettime");
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void account_read(unsigned long long *ran, unsigned long long *queued)
{
	char line[128];

	proc_line((int)syscall(SYS_gettid), "schedstat", line, sizeof(line));
	must(sscanf(line, "%llu %llu", ran, queued) == 2, "schedstat");
}

static void bind_to(long number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number % sysconf(_SC_NPROCESSORS_ONLN), &set);
	must(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static void *compute(void *number)
{
	const double end = clock_read(CLOCK_MONOTONIC) + seconds;
	unsigned long long ran, queued;
	char comm[16];

	snprintf(comm, sizeof(comm), "%s%ld", name, (long)number);
	prctl(PR_SET_NAME, comm);
	bind_to((long)number);
	while (clock_read(CLOCK_MONOTONIC) < end) {
		const double until = clock_read(CLOCK_THREAD_CPUTIME_ID) + 0.001;

		while (clock_read(CLOCK_THREAD_CPUTIME_ID) < until)
			;
		if (nap_us)
			rest_us(nap_us);
	}
	account_read(&ran, &queued);
	printf("quota %s %ld %llu %llu\n", comm, syscall(SYS_gettid), ran, queued);
	return NULL;
}

static void enter(const char *group)
{
	char path[4096], text[16];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	snprintf(text, sizeof(text), "%d", getpid());
	fd = open(path, O_WRONLY | O_CLOEXEC);
	must(fd >= 0 && write(fd, text, strlen(text)) > 0, path);
	close(fd);
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	long count;

	must(argc == 6, "quota NAME THREADS MS NAP_US GROUP");
	name = argv[1];
	count = strtol(argv[2], NULL, 10);
	seconds = strtod(argv[3], NULL) / 1e3;
	nap_us = strtol(argv[4], NULL, 10);
	must(count > 0 && count <= 64, "1 to 64 threads");
	if (strcmp(argv[5], "-") != 0)
		enter(argv[5]);
	for (long i = 0; i < count; i++)
		must(!pthread_create(&threads[i], NULL, compute, (void *)i), "pthread_create");
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
