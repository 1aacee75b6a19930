/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * README: one hot function reached by three paths. The leaf group "crunch" has all of
 * the CPU time; only its call tree shows that half of it is called by parse(), a
 * third by render() and the rest by a thread.
 *
 *   sudo rwalker-record -p 3 -u -c shop -o trace.rwk     beside   workload 3
 *   main > serve > parse  > tokenize > crunch     6 parts
 *   main > serve > render > crunch                4 parts
 *   audit_thread > audit > crunch                 2 parts, comm "shop_audit"
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/* Requesting the frame address makes even a leaf function keep its frame. */
void crunch(unsigned int parts)
{
	uint64_t x = parts + 1;

	for (unsigned int i = 0; i < parts * 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	__asm__ volatile("" : "+r"(x) : "r"(__builtin_frame_address(0)));
}

void tokenize(void)
{
	crunch(6);
}

void parse(void)
{
	tokenize();
}

void render(void)
{
	crunch(4);
}

void serve(void)
{
	parse();
	render();
}

void audit(void)
{
	crunch(2);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Works for a sixth of the time that main does, and sleeps in between. */
void *audit_thread(void *arg)
{
	double end = *(const double *)arg;

	prctl(PR_SET_NAME, "shop_audit");
	while (now() < end) {
		struct timespec rest = { 0, 1000000 };

		audit();
		nanosleep(&rest, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 3);
	pthread_t thread;

	prctl(PR_SET_NAME, "shop");
	if (pthread_create(&thread, NULL, audit_thread, &end))
		return 1;
	while (now() < end)
		serve();
	return pthread_join(thread, NULL);
}
