/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cpu_paths SECONDS [PERCENT]: burns that much CPU time in each of two threads, in four call paths,
 * and counts each of them. Each takes PERCENT (100) of a CPU's time.
 *
 *   main > alpha > leaf           50 % of main's time
 *   main > beta  > leaf           30 %
 *   main > gamma > delta > other  20 %
 *   worker > omega > leaf         a thread of its own, comm "cpu_thread"
 */
#include "workload.h"

enum path { ALPHA, BETA, GAMMA, OMEGA, PATH_COUNT };

struct count {
	uint64_t cpu_ns;	/* for each thread */
	const char *percent;
	uint64_t ns[PATH_COUNT];
	uint64_t seed;
};

static const char *const path_names[PATH_COUNT] = {
	[ALPHA] = "main;alpha;leaf",
	[BETA] = "main;beta;leaf",
	[GAMMA] = "main;gamma;delta;other",
	[OMEGA] = "worker;omega;leaf",
};

#define LEAF(name)                        \
	void name(uint64_t *seed)         \
	{                                 \
		uint64_t x = *seed + 1;   \
					  \
		BURN_SLICE(x);            \
		*seed = x;                \
	}
#define CALLER(name, leaf)                                   \
	void name(uint64_t *seed, unsigned int slices)       \
	{                                                    \
		while (slices--)                             \
			leaf(seed);                          \
	}

LEAF(leaf)
LEAF(other)
CALLER(alpha, leaf)
CALLER(beta, leaf)
CALLER(omega, leaf)
CALLER(delta, other)

void gamma_path(uint64_t *seed, unsigned int slices) __asm__("gamma");
void gamma_path(uint64_t *seed, unsigned int slices)
{
	delta(seed, slices);
	__asm__ volatile("");	/* keeps the call from becoming a jump */
}

static void timed(struct count *count, enum path path,
		  void (*walk)(uint64_t *, unsigned int), unsigned int slices)
{
	uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	walk(&count->seed, slices);
	count->ns[path] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
}

static void *worker(void *arg)
{
	struct count *count = arg;
	struct pace pace = pace_begin(count->cpu_ns, count->percent);

	prctl(PR_SET_NAME, "cpu_thread");
	while (pace_goes_on(&pace))
		timed(count, OMEGA, omega, 16);
	return NULL;
}

/* The length of a round varies so that no sampling period can lock onto it. */
static void main_rounds(struct count *count)
{
	struct pace pace = pace_begin(count->cpu_ns, count->percent);

	while (pace_goes_on(&pace)) {
		unsigned int n = 2 + (unsigned int)(count->seed & 3);

		timed(count, ALPHA, alpha, 5 * n);
		timed(count, BETA, beta, 3 * n);
		timed(count, GAMMA, gamma_path, 2 * n);
	}
}

int main(int argc, char **argv)
{
	uint64_t cpu_ns = seconds_arg(argc, argv, 1, 5);
	const char *percent = argc > 2 ? argv[2] : "100";
	struct count mine = { .cpu_ns = cpu_ns, .percent = percent, .seed = 88172645463325252ull };
	struct count theirs = { .cpu_ns = cpu_ns, .percent = percent, .seed = 1234567891011ull };
	pthread_t thread;

	if (pthread_create(&thread, NULL, worker, &theirs))
		return 1;
	main_rounds(&mine);
	pthread_join(thread, NULL);
	mine.ns[OMEGA] = theirs.ns[OMEGA];
	truth_print(path_names, mine.ns, PATH_COUNT);
	return 0;
}
