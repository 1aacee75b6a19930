/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Starts and ends the threads of waits.c; and the few blocking calls that they share. */
#ifndef TESTS_LIVE_WAITS_THREADS_H
#define TESTS_LIVE_WAITS_THREADS_H

#include "waits_truth.h"

#include <errno.h>
#include <sched.h>

#define MS NS_PER_MS

void *waiter_main(void *arg);
long nap(uint64_t ns);
long pipe_read(int fd, void *buffer, size_t size);
long pipe_write(int fd, const void *buffer, size_t size);

/*
 * The kernel's own account, and how long it took to read. Reading the CPU time updates the run
 * time, which otherwise lags by a tick.
 */
static inline uint64_t read_account(struct waiter *w, int schedstat, char *text, size_t size)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	w->nvcsw = usage.ru_nvcsw;
	w->nivcsw = usage.ru_nivcsw;
	(void)clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (pread(schedstat, text, size, 0) < 0)
		fault("schedstat");
	w->ended = clock_ns(CLOCK_MONOTONIC);
	return w->ended - began;
}

/* Reads all of it at one moment: reads once more if the thread was interrupted. */
static inline void waiter_account(struct waiter *w)
{
	char text[96] = "";
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fault("schedstat");
	for (int tries = 0; read_account(w, fd, text, sizeof(text) - 1) > NS_PER_MS / 10 && tries < 100; tries++)
		;
	close(fd);
	if (sscanf(text, "%lu %lu", &w->run_ns, &w->delay_ns) != 2)
		fault("schedstat");
}

FRAMED void *waiter_main(void *arg)
{
	struct waiter *w = arg;

	prctl(PR_SET_NAME, w->comm);
	w->tid = (pid_t)syscall(SYS_gettid);
	w->tgid = getpid();
	w->run(w);
	waiter_account(w);
	return NULL;
}

static inline void waiters_start(struct waiter *waiters, size_t count)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (size_t i = 0; i < count; i++) {
		waiters[i].brackets = calloc(waiters[i].room + 1, sizeof(struct bracket));
		if (!waiters[i].brackets)
			fault("calloc");
		waiters[i].born = clock_ns(CLOCK_MONOTONIC);
		errno = pthread_create(&waiters[i].thread, &attr, waiter_main, &waiters[i]);
		if (errno)
			fault("pthread_create");
	}
}

static inline void waiters_end(struct waiter *waiters, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pthread_join(waiters[i].thread, NULL);
	for (size_t i = 0; i < count; i++)
		waiter_print(&waiters[i]);
}

static inline void waiters_run(struct waiter *waiters, size_t count)
{
	waiters_start(waiters, count);
	waiters_end(waiters, count);
}

/* The last CPU that this process may use. */
static inline void stay_on_one_cpu(void)
{
	cpu_set_t set;
	int cpu = CPU_SETSIZE - 1;

	sched_getaffinity(0, sizeof(set), &set);
	while (cpu > 0 && !CPU_ISSET(cpu, &set))
		cpu--;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fault("sched_setaffinity");
}

FRAMED long nap(uint64_t ns)
{
	struct timespec rest = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

	return raw_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&rest, 0);
}

static inline void rest(uint64_t ns) /* not part of any truth */
{
	struct timespec time = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

	nanosleep(&time, NULL);
}

FRAMED long pipe_read(int fd, void *buffer, size_t size)
{
	return raw_call(SYS_read, fd, (long)buffer, (long)size, 0);
}

FRAMED long pipe_write(int fd, const void *buffer, size_t size)
{
	return raw_call(SYS_write, fd, (long)buffer, (long)size, 0);
}

#endif
