/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * token_ring THREADS PASSES: that many threads in a ring of pipes pass on a token that many times.
 * Each runs for a moment and sleeps until all others have had their turn, so that per-thread data
 * is never in a cache when it is needed.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct member {
	pthread_t thread;
	int in, out;
};

/* The token is the number of remaining passes; at 0 it goes round once more, and every thread ends. */
static void *run(void *argument)
{
	struct member *member = argument;
	uint64_t token = 1;

	while (token) {
		if (read(member->in, &token, sizeof(token)) != sizeof(token))
			abort();
		token -= token != 0;
		if (write(member->out, &token, sizeof(token)) != sizeof(token))
			abort();
	}
	return NULL;
}

static int make_ring(struct member *ring, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		int ends[2];

		if (pipe(ends) < 0)
			return -1;
		ring[i].in = ends[0];
		ring[(i + count - 1) % count].out = ends[1];
	}
	return 0;
}

static int start(struct member *ring, unsigned int count)
{
	pthread_attr_t attributes;

	if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, 64 << 10))
		return -1;
	for (unsigned int i = 0; i < count; i++)
		if (pthread_create(&ring[i].thread, &attributes, run, &ring[i]))
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int count = argc == 3 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
	uint64_t token = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct member *ring = calloc(count ? count : 1, sizeof(*ring));
	struct rlimit files;

	if (!ring || count < 2 || !token) {
		(void)fputs("usage: token_ring THREADS PASSES\n", stderr);
		return 2;
	}
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return 1;
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) < 0 || make_ring(ring, count) < 0 || start(ring, count) < 0) {
		perror("token_ring");
		return 1;
	}
	if (write(ring[0].out, &token, sizeof(token)) != sizeof(token))
		return 1;
	for (unsigned int i = 0; i < count; i++)
		(void)pthread_join(ring[i].thread, NULL);
	return 0;
}
