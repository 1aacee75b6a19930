/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * frameless SECONDS: known user call paths in code without frame pointers, one thread each, for
 * that long; threads that compute go on until they have also used a quarter of that CPU time:
 *
 *   burner   fl_burn <- fl_middle <- fl_outer, computing
 *   deep     fl_bottom <- fl_deeper ..., over more than 64 KiB of stack
 *   handler  fl_handled <- fl_handler <- (signal, on another stack) <- fl_raising <- fl_raiser
 *   locks a  fl_hold <- fl_path_a, and locks b: fl_hold <- fl_path_b: a mutex held across sleeps of 20 ms
 *   sleeper  one wait, from 50 ms after the start, for SECONDS / 2: fl_sleep <- fl_rest
 *
 * Prints "stack CANARY": eight letters that are on the stack of `deep` while it computes.
 */
#include "workload.h"

#define FRAMELESS __attribute__((noinline, optimize("O2", "omit-frame-pointer")))

enum { DEEP_FRAMES = 40, DEEP_ROOM = 4096 };

static volatile uint64_t sink;
static uint64_t end_ns, run_ns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int time_is_left(void) { return clock_ns(CLOCK_MONOTONIC) < end_ns; }
static int computes_on(void) { return time_is_left() || clock_ns(CLOCK_THREAD_CPUTIME_ID) < run_ns / 4; }

FRAMELESS void fl_burn(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink += i;
}

FRAMELESS uint64_t fl_middle(uint64_t rounds)
{
	volatile uint64_t room[40];

	room[7] = rounds;
	fl_burn(rounds);
	return room[7] + sink;
}

FRAMELESS uint64_t fl_outer(uint64_t rounds) { return fl_middle(rounds) + 1; }

FRAMELESS uint64_t fl_bottom(const char *canary)
{
	volatile char room[16];

	memcpy((char *)room, canary, 8);
	fl_burn(200000);
	return (uint64_t)room[3] + sink;
}

FRAMELESS uint64_t fl_deeper(unsigned int depth, const char *canary)
{
	volatile char room[DEEP_ROOM];

	room[depth] = (char)depth;
	return (depth ? fl_deeper(depth - 1, canary) : fl_bottom(canary)) + (uint64_t)room[depth];
}

FRAMELESS void fl_handled(void)
{
	fl_burn(300000);
	sink++;
}

static void fl_handler(int number)
{
	fl_handled();
	sink += (uint64_t)number;
}

FRAMELESS int fl_raising(void) { return raise(SIGUSR1) + (int)sink; }
FRAMELESS int fl_raiser(void) { return fl_raising() + 1; }

FRAMELESS uint64_t fl_hold(uint64_t n)
{
	pthread_mutex_lock(&lock);
	rest(20000000);
	pthread_mutex_unlock(&lock);
	return n + sink;
}

FRAMELESS uint64_t fl_path_a(uint64_t n) { return fl_hold(n) * 2; }
FRAMELESS uint64_t fl_path_b(uint64_t n) { return fl_hold(n) * 3; }

FRAMELESS uint64_t fl_sleep(uint64_t ns)
{
	rest(ns);
	return ns + sink;
}

FRAMELESS uint64_t fl_rest(uint64_t ns) { return fl_sleep(ns) + 1; }

static void *burner(void *argument)
{
	while (computes_on())
		sink += fl_outer(100000);
	return argument;
}

static void *deep(void *argument)
{
	while (computes_on())
		sink += fl_deeper(DEEP_FRAMES, argument);
	return NULL;
}

static void *handler(void *argument)
{
	struct sigaction action = {.sa_handler = fl_handler, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = 1 << 16};

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	while (computes_on())
		sink += (uint64_t)fl_raiser();
	return argument;
}

static void *locks_a(void *argument)
{
	while (time_is_left())
		sink += fl_path_a(1);
	return argument;
}

static void *locks_b(void *argument)
{
	while (time_is_left())
		sink += fl_path_b(1);
	return argument;
}

static void *sleeper(void *argument)
{
	rest(50000000);
	sink += fl_rest(run_ns / 2);
	return argument;
}

int main(int argc, char **argv)
{
	void *(*const threads[])(void *) = {burner, deep, handler, locks_a, locks_b, sleeper};
	enum { THREADS = COUNT(threads) };
	static char canary[9] = "........";
	pthread_t started[THREADS];

	for (size_t i = 0; i < 8; i++)
		canary[i] = (char)('A' + (getpid() >> i) % 26);
	printf("stack %s\n", canary);
	fflush(stdout);
	run_ns = (uint64_t)(strtod(argc > 1 ? argv[1] : "3", NULL) * 1e9);
	end_ns = clock_ns(CLOCK_MONOTONIC) + run_ns;
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&started[i], NULL, threads[i], canary))
			return 1;
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(started[i], NULL);
	return 0;
}
