/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * README: what was everyone waiting for, and who held them up? A shop with one slow supplier. The
 * clerks wait for the lock of the till, which the baker holds while he waits for flour from a pipe,
 * which the miller fills when his mill (a timer) is done. The night watch sleeps through it all.
 * `--wakers` names each hop, `--chains` follows them to the end: the timer.
 *
 *   sudo rwalker-record --offcpu 2 --wakers -u -o trace.rwk -- workload 2
 *   clerk (two)   S  the lock of the till, held by the baker
 *   baker         S  reads the pipe while holding the lock
 *   miller        S  a timer of 100 ms, then writes to the pipe
 *   night_watch   S  reads a pipe that is never written: a wait that does not end
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER;
static int flour[2], silence[2];

static void rest(long milliseconds)
{
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void grind(void)
{
	char sack = 'f';

	rest(100);
	(void)!write(flour[1], &sack, 1);
}

static void fetch_flour(void)
{
	char sack;

	(void)!read(flour[0], &sack, 1);
}

static void bake(void)
{
	pthread_mutex_lock(&till);
	fetch_flour();
	pthread_mutex_unlock(&till);
	rest(5);
}

static void sell(void)
{
	pthread_mutex_lock(&till);
	pthread_mutex_unlock(&till);
	rest(3);
}

static void keep_watch(void)
{
	char c;

	(void)!read(silence[0], &c, 1);
}

static void work_on(const char *name, void (*work)(void))
{
	prctl(PR_SET_NAME, name);
	for (;;)
		work();
}

static void *clerk(void *unused)
{
	(void)unused;
	work_on("clerk", sell);
	return NULL;
}

static void *baker(void *unused)
{
	(void)unused;
	work_on("baker", bake);
	return NULL;
}

static void *miller(void *unused)
{
	(void)unused;
	work_on("miller", grind);
	return NULL;
}

static void *night_watch(void *unused)
{
	(void)unused;
	work_on("night_watch", keep_watch);
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const people[])(void *) = { baker, miller, clerk, clerk, night_watch };

	if (pipe(flour) != 0 || pipe(silence) != 0)
		return 1;
	for (size_t i = 0; i < sizeof(people) / sizeof(people[0]); i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, people[i], NULL) != 0)
			return 1;
	}
	sleep(argc > 1 ? (unsigned int)atoi(argv[1]) : 2);
	return 0;
}
