/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kinds of waits.c with processes, and those that load the CPUs. */
#ifndef TESTS_LIVE_WAITS_LOAD_H
#define TESTS_LIVE_WAITS_LOAD_H

#include "waits_threads.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* --- churn -------------------------------------------------------------------------------------- */

FRAMED static void sleep_once(struct waiter *w)
{
	waiter_begin(w);
	nap((3 + w->amount % 5) * MS);
	waiter_end(w);
}

/* One process: it, or one of its threads, sleeps a few ms and stores its truth where its parent finds it. */
static inline void churn_one(struct waiter *w, struct bracket *bracket)
{
	w->run = sleep_once;
	w->brackets = bracket;
	w->born = clock_ns(CLOCK_MONOTONIC);
	if (w->amount & 1) {
		pthread_create(&w->thread, NULL, waiter_main, w);
		pthread_join(w->thread, NULL);
	} else {
		waiter_main(w);
	}
	_exit(0);
}

static inline void churn(char **argv)
{
	static const char *const comms[] = {"churn-0", "churn-1", "churn-2", "churn-3"};
	size_t count = strtoul(argv[0], NULL, 10), size = count * (sizeof(struct waiter) + 2 * sizeof(struct bracket));
	struct waiter *waiters = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct bracket *brackets = (struct bracket *)(waiters + count);

	if (waiters == MAP_FAILED)
		fault("mmap");
	for (size_t i = 0; i < count; i++) {
		waiters[i] = (struct waiter){.comm = comms[i % 4], .path = "sleep_once;nap", .room = 1, .amount = i};
		waiters[i].brackets = &brackets[2 * i];
		if (i >= 64)
			wait(NULL);
		if (fork() == 0)
			churn_one(&waiters[i], &brackets[2 * i]);
	}
	while (wait(NULL) > 0)
		;
	for (size_t i = 0; i < count; i++)
		waiter_print(&waiters[i]);
}

/* --- busy CPUs -------------------------------------------------------------------------------------- */

struct pipes {
	int there[2], back[2];
	int slices; /* to burn before each byte */
};

FRAMED static void burn_and_sleep(struct waiter *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), stop = now + w->amount, x = now | 1;

	while (clock_ns(CLOCK_MONOTONIC) < stop) {
		for (int i = 0; i < 20; i++)
			BURN_SLICE(x);
		nap(3 * MS);
	}
}

static volatile sig_atomic_t is_enough;

static void be_enough(int signal)
{
	(void)signal;
	is_enough = 1;
}

FRAMED static void ping(struct waiter *w)
{
	uint64_t stop = clock_ns(CLOCK_MONOTONIC) + w->amount;
	struct pipes *pipes = w->shared;
	uint64_t x = stop | 1;
	char byte = 'x';

	while (clock_ns(CLOCK_MONOTONIC) < stop && !is_enough) {
		for (int i = 0; i < pipes->slices; i++)
			BURN_SLICE(x);
		if (pipe_write(pipes->there[1], &byte, 1) != 1 || pipe_read(pipes->back[0], &byte, 1) != 1)
			fault("ping");
	}
	close(pipes->there[1]);
}

FRAMED static void pong(struct waiter *w)
{
	struct pipes *pipes = w->shared;
	char byte;

	while (pipe_read(pipes->there[0], &byte, 1) == 1)
		if (pipe_write(pipes->back[1], &byte, 1) != 1)
			fault("pong");
}

static inline void mixed(char **argv)
{
	uint64_t ns = (uint64_t)(strtod(argv[0], NULL) * 1e9);
	struct pipes pipes = {.slices = 1};
	struct waiter waiters[] = {
		{.comm = "mix-burn-0", .path = "burn_and_sleep", .run = burn_and_sleep, .amount = ns},
		{.comm = "mix-burn-1", .path = "burn_and_sleep", .run = burn_and_sleep, .amount = ns},
		{.comm = "mix-burn-2", .path = "burn_and_sleep", .run = burn_and_sleep, .amount = ns},
		{.comm = "mix-burn-3", .path = "burn_and_sleep", .run = burn_and_sleep, .amount = ns},
		{.comm = "mix-ping", .path = "ping", .run = ping, .shared = &pipes, .amount = ns},
		{.comm = "mix-pong", .path = "pong", .run = pong, .shared = &pipes},
	};

	if (pipe(pipes.there) || pipe(pipes.back))
		fault("pipe");
	waiters_run(waiters, 6);
}

static inline void storm(char **argv)
{
	struct pipes pipes = {.slices = 0};
	struct waiter waiters[] = {
		{.comm = "ping", .path = "ping", .run = ping, .shared = &pipes,
		 .amount = (uint64_t)(strtod(argv[0], NULL) * 1e9)},
		{.comm = "pong", .path = "pong", .run = pong, .shared = &pipes},
	};

	if (pipe(pipes.there) || pipe(pipes.back))
		fault("pipe");
	signal(SIGTERM, be_enough);
	stay_on_one_cpu();
	waiters_run(waiters, 2);
}

#endif
