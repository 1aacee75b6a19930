/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * canary [SECONDS [DEPTH]]: a program whose stacks need unwinding. It computes below functions
 * without frame pointers, directly and inside a signal handler, waits for a second thread, and
 * recurses. Its stack holds a text that must not be in a condensed trace.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void spin(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		sum += i * i;
}

__attribute__((noinline)) static void in_handler(void)
{
	spin(200000);
	sum++;
}

static void handle(int number)
{
	(void)number;
	in_handler();
	sum++;
}

__attribute__((noinline)) static void descend(unsigned int depth)
{
	volatile unsigned int here = depth;

	if (depth)
		descend(depth - 1);
	else
		spin(2000000);
	sum += here;
}

__attribute__((noinline)) static void hold(void)
{
	pthread_mutex_lock(&lock);
	usleep(3000);
	pthread_mutex_unlock(&lock);
	sum++;
}

static void *compete(void *unused)
{
	(void)unused;
	for (;;) {
		hold();
		usleep(500);
	}
	return NULL;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Not in the file: it is put together here. */
static void put_canary(char text[static 64])
{
	for (int i = 0; i < 48; i++)
		text[i] = (char)('A' + (i * 7 + 3) % 26);
	text[48] = '\0';
}

int main(int argc, char **argv)
{
	struct itimerval every = {{0, 7000}, {0, 7000}};
	double end = now() + (argc > 1 ? atof(argv[1]) : 2);
	unsigned int depth = argc > 2 ? (unsigned int)atoi(argv[2]) : 30;
	char canary[64];
	pthread_t thread;

	put_canary(canary);
	signal(SIGALRM, handle);
	if (pthread_create(&thread, NULL, compete, NULL) || setitimer(ITIMER_REAL, &every, NULL))
		return 1;
	while (now() < end) {
		spin(1000000);
		descend(depth);
		hold();
		getppid();
	}
	fputs(canary, stderr);
	return sum == 42;
}
