/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sleepers: threads that sleep on known call paths, and one that runs, until killed.
 *
 *     sl_framed   nap_outer > nap_middle > nap_inner > pause, with frame pointers (except libc's pause)
 *     sl_plain    doze_outer > doze_middle > doze_inner > pause, without
 *     sl_spinner  runs; none with the argument "asleep"
 *
 * Prints "ready" when all of them run.
 */
#include "truth.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline, noclone, optimize("omit-frame-pointer", "no-optimize-sibling-calls")))
/* Something is done after the call, so that it is not a tail call. */
#define AFTERWARDS(result) __asm__ volatile("" : "+r"(result))

static atomic_int ready;

int nap_inner(void)
{
	int result;

	atomic_fetch_add(&ready, 1);
	result = pause();
	AFTERWARDS(result);
	return result;
}

int nap_middle(void)
{
	int result = nap_inner();

	AFTERWARDS(result);
	return result;
}

int nap_outer(void)
{
	int result = nap_middle();

	AFTERWARDS(result);
	return result;
}

PLAIN int doze_inner(void)
{
	int result;

	atomic_fetch_add(&ready, 1);
	result = pause();
	AFTERWARDS(result);
	return result;
}

PLAIN int doze_middle(void)
{
	int result = doze_inner();

	AFTERWARDS(result);
	return result;
}

PLAIN int doze_outer(void)
{
	int result = doze_middle();

	AFTERWARDS(result);
	return result;
}

static void *framed(void *nothing)
{
	prctl(PR_SET_NAME, "sl_framed");
	(void)nap_outer();
	return nothing;
}

static void *plain(void *nothing)
{
	prctl(PR_SET_NAME, "sl_plain");
	(void)doze_outer();
	return nothing;
}

static void *spinner(void *nothing)
{
	uint64_t x = 1;

	prctl(PR_SET_NAME, "sl_spinner");
	atomic_fetch_add(&ready, 1);
	for (;;)
		BURN_SLICE(x);
	return nothing;
}

int main(int argc, char **argv)
{
	void *(*const bodies[])(void *) = {framed, plain, spinner};
	int count = argc > 1 && !strcmp(argv[1], "asleep") ? 2 : 3;
	pthread_t thread;

	for (int i = 0; i < count; i++)
		if (pthread_create(&thread, NULL, bodies[i], NULL))
			return 1;
	while (atomic_load(&ready) < count)
		usleep(1000);
	printf("ready\n");
	fflush(stdout);
	pthread_join(thread, NULL);
	return 0;
}
