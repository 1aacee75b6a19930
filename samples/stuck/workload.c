/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * README: which tasks are stuck, and on what? One task in D, three sleepers in S that wait
 * for different things, and one that runs. The default walk shows the task in D and the
 * running one; -a shows all; the histogram groups tasks that wait in the same place.
 *
 *   sudo rwalker-record -a -c shelf -o trace.rwk     beside   workload 5
 *   shelf_vfork   D  kernel_clone: a vfork parent until its child execs or exits
 *   shelf_pipe    S  reads a pipe that is never written
 *   shelf_futex   S  waits for a lock that is never released (two threads)
 *   shelf_sleep   S  nanosleep
 *   shelf_spin    R  burns CPU
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned int seconds = 5;

static void wait_in_vfork(void)
{
	if (vfork() == 0) {
		struct timespec rest = { seconds, 0 };

		nanosleep(&rest, NULL);
		_exit(0);
	}
}

static void wait_for_a_pipe(void)
{
	int ends[2];
	char c;

	if (pipe(ends) == 0)
		(void)!read(ends[0], &c, 1);
}

static void *lock_in_vain(void *lock)
{
	prctl(PR_SET_NAME, "shelf_futex");
	pthread_mutex_lock(lock);
	return NULL;
}

static void wait_for_a_lock(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;

	pthread_mutex_lock(&lock);
	if (pthread_create(&thread, NULL, lock_in_vain, &lock) == 0)
		lock_in_vain(&lock);
}

static void wait_for_time(void)
{
	sleep(seconds);
}

static void wait_for_nothing(void)
{
	for (;;)
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

static const struct place {
	const char *comm;
	void (*wait)(void);
} places[] = {
	{ "shelf_vfork", wait_in_vfork },
	{ "shelf_pipe", wait_for_a_pipe },
	{ "shelf_futex", wait_for_a_lock },
	{ "shelf_sleep", wait_for_time },
	{ "shelf_spin", wait_for_nothing },
};

/* The alarm ends whatever would wait forever; a vfork parent in D is ended by its child. */
static void occupy(const struct place *place)
{
	prctl(PR_SET_NAME, place->comm);
	prctl(PR_SET_PDEATHSIG, 9);
	alarm(seconds);
	place->wait();
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		seconds = (unsigned int)strtoul(argv[1], NULL, 10);
	prctl(PR_SET_NAME, "shelf");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (fork() == 0)
			occupy(&places[i]);
	while (wait(NULL) > 0)
		;
	return 0;
}
