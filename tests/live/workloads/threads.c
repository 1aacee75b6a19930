/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* threads N: N sleeping threads; prints "ready" when all sleep; ends at end of input. */
#include "truth.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t open;
	unsigned int waiting;
};

static void *sleeper(void *arg)
{
	struct gate *gate = arg;

	pthread_mutex_lock(&gate->lock);
	gate->waiting++;
	for (;;)
		pthread_cond_wait(&gate->open, &gate->lock);
	return NULL;
}

static int sleepers_start(struct gate *gate, unsigned int count)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (unsigned int i = 0; i < count; i++)
		if (pthread_create(&thread, &attr, sleeper, gate))
			return -1;
	return 0;
}

static void sleepers_wait(struct gate *gate, unsigned int count)
{
	unsigned int waiting = 0;

	while (waiting < count) {
		usleep(10000);
		pthread_mutex_lock(&gate->lock);
		waiting = gate->waiting;
		pthread_mutex_unlock(&gate->lock);
	}
}

int main(int argc, char **argv)
{
	struct gate gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
	unsigned int count = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 5000;
	char c;

	if (sleepers_start(&gate, count))
		return 1;
	sleepers_wait(&gate, count);
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	_exit(0);
}
