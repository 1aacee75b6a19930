/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * steady_waits RATE: that many waits of more than a millisecond per second, for the benchmark.
 * Prints "ready", waits for the end of its input, and then prints its own account of the waits:
 *
 *     waits N            of 1 ms or more
 *     cpu_ns NS          user + system time of its threads
 *     wall_ns NS
 *
 * Threads come in pairs with two waits every 2 ms: steady-timer sleeps until the next of these
 * times, which are absolute, so that the rate holds however late it wakes up; then it writes a
 * byte to steady-reader. So half of the waits are ended by a timer, the other half by a task. A
 * thread that woke up late makes up for it by shorter sleeps, but never below 1.1 ms. Stacks are
 * a dozen frames deep.
 */
#include "waiters.h"

enum { PERIOD_NS = 2000000, SHORTEST_NS = 1100000, WAITS_PER_PAIR = 1000, DEPTH = 10 };

struct pair {
	pthread_t timer, reader;
	int pipe[2];
	uint64_t first; /* moment of the first wakeup */
	const atomic_bool *over;
	size_t timer_waits, reader_waits;
};

FRAMED static long sleep_until(uint64_t when)
{
	struct timespec moment = timespec_of(when);

	return raw_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&moment, 0);
}

FRAMED static void pass_on(struct pair *pair)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);

	for (uint64_t due = pair->first; !atomic_load(pair->over); due += PERIOD_NS) {
		sleep_until(due > begun + SHORTEST_NS ? due : begun + SHORTEST_NS);
		pair->timer_waits++;
		must(raw_call(SYS_write, pair->pipe[1], (long)"x", 1, 0) == 1, "write");
		begun = clock_ns(CLOCK_MONOTONIC);
	}
	close(pair->pipe[1]);
}

FRAMED static void receive(struct pair *pair)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), now;
	char byte;

	while (raw_call(SYS_read, pair->pipe[0], (long)&byte, 1, 0) == 1) {
		now = clock_ns(CLOCK_MONOTONIC);
		pair->reader_waits += now - begun >= NS_PER_MS;
		begun = now;
	}
}

/* The frames to be walked. */
FRAMED static void descend(struct pair *pair, void (*run)(struct pair *pair), int depth)
{
	if (depth)
		descend(pair, run, depth - 1);
	else
		run(pair);
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

static void *timer_main(void *arg)
{
	prctl(PR_SET_NAME, "steady-timer");
	descend(arg, pass_on, DEPTH);
	return NULL;
}

static void *reader_main(void *arg)
{
	prctl(PR_SET_NAME, "steady-reader");
	descend(arg, receive, DEPTH);
	return NULL;
}

/* The pairs' times are spread evenly over the period. */
static void pairs_start(struct pair *pairs, size_t count, const atomic_bool *over)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC) + PERIOD_NS;

	for (size_t i = 0; i < count; i++) {
		pairs[i].first = now + PERIOD_NS * i / count;
		pairs[i].over = over;
		must(!pipe(pairs[i].pipe), "pipe");
		must(!pthread_create(&pairs[i].reader, NULL, reader_main, &pairs[i]) &&
			     !pthread_create(&pairs[i].timer, NULL, timer_main, &pairs[i]), "pthread_create");
	}
}

static size_t pairs_end(struct pair *pairs, size_t count)
{
	size_t waits = 0;

	for (size_t i = 0; i < count; i++) {
		pthread_join(pairs[i].timer, NULL);
		pthread_join(pairs[i].reader, NULL);
		waits += pairs[i].timer_waits + pairs[i].reader_waits;
	}
	return waits;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? (strtoul(argv[1], NULL, 10) + WAITS_PER_PAIR - 1) / WAITS_PER_PAIR : 1;
	struct pair *pairs = calloc(count, sizeof(*pairs));
	uint64_t from = clock_ns(CLOCK_MONOTONIC);
	atomic_bool over = false;
	size_t waits;
	char byte;

	must(pairs && !prctl(PR_SET_TIMERSLACK, 1), "calloc");
	pairs_start(pairs, count, &over);
	say("ready");
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	atomic_store(&over, true);
	waits = pairs_end(pairs, count);
	printf("waits %zu\ncpu_ns %lu\nwall_ns %lu\n", waits, clock_ns(CLOCK_PROCESS_CPUTIME_ID), clock_ns(CLOCK_MONOTONIC) - from);
	return 0;
}
