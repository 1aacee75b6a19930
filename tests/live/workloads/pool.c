/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pool THREADS: a program whose threads do little, until it is killed.
 *
 *   pool-idle     as many threads as asked for, which wait for work that never comes
 *   pool-stuck    in D, as the parent of a vfork whose child sleeps
 *   pool-victim   takes and releases a lock every millisecond, unless
 *   pool-holder   has it: for 20 ms, every 25 ms
 *
 * Threads have these names from just before they wait. "ready" is printed when all have been
 * started.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
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

	if (pipe(never) < 0)
		return 1;
	for (int i = 0; i < threads; i++)
		start(wait_for_work);
	start(stuck);
	start(hold);
	puts("ready");
	fflush(stdout);
	prctl(PR_SET_NAME, "pool-victim");
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		rest(1);
	}
}
