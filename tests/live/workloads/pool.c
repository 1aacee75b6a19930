/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pool THREADS: a program whose threads do little, until it is killed.
 *
 *   pool          its first thread, which waits for a child, pool-child, that sleeps
 *   pool-idle     as many threads as asked for, which read a pipe to which nobody writes
 *   pool-cond     two that wait for a condition that never comes true
 *   pool-twice    two that read that pipe, too, but are woken now and then
 *   pool-stuck    in D, as the parent of a vfork whose child sleeps
 *   pool-victim   takes and releases a lock every millisecond, unless
 *   pool-holder   has it: for 20 ms, every 25 ms
 *
 * Threads have these names from just before they wait. "ready" is printed when all have been
 * started.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int never[2];

static void rest(long ms)
{
	struct timespec time = {.tv_nsec = ms * 1000000};

	nanosleep(&time, NULL);
}

static void *wait_for_work(void *unused)
{
	char byte;

	prctl(PR_SET_NAME, "pool-idle");
	while (read(never[0], &byte, 1) != 0)
		;
	return unused;
}

static void *wait_for_condition(void *unused)
{
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

	prctl(PR_SET_NAME, "pool-cond");
	pthread_mutex_lock(&own);
	for (;;)
		pthread_cond_wait(&condition, &own);
	return unused;
}

static void *wait_twice(void *unused)
{
	struct pollfd wanted = {.fd = never[0], .events = POLLIN};

	prctl(PR_SET_NAME, "pool-twice");
	while (poll(&wanted, 1, 300) >= 0)
		;
	return unused;
}

static void *want(void *unused)
{
	prctl(PR_SET_NAME, "pool-victim");
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		rest(1);
	}
	return unused;
}

static void *stuck(void *unused)
{
	pid_t pid;

	prctl(PR_SET_NAME, "pool-stuck");
	pid = vfork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return unused;
}

static void *hold(void *unused)
{
	prctl(PR_SET_NAME, "pool-holder");
	for (;;) {
		pthread_mutex_lock(&lock);
		rest(20);
		pthread_mutex_unlock(&lock);
		rest(5);
	}
	return unused;
}

static void start(void *(*work)(void *unused))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL) != 0)
		abort();
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 8;

	pid_t child;

	if (pipe(never) < 0)
		return 1;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "pool-child");
		for (;;)
			pause();
	}
	for (int i = 0; i < threads; i++)
		start(wait_for_work);
	for (int i = 0; i < 2; i++) {
		start(wait_for_condition);
		start(wait_twice);
	}
	start(stuck);
	start(hold);
	start(want);
	puts("ready");
	fflush(stdout);
	return waitpid(child, NULL, 0) < 0;
}
