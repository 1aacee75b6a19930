/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A program without frame pointers, for --dwarf: two threads take a lock on two call paths and hold
 * it while they sleep; the main thread sorts, and is interrupted by a timer whose handler computes
 * on a stack of its own.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define FRAMELESS __attribute__((noinline, optimize("O2", "omit-frame-pointer")))

enum { NUMBERS = 20000 };

static volatile uint64_t sink;
static volatile int is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

FRAMELESS uint64_t checksum(uint64_t rounds)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < rounds; i++)
		sum += i * sink;
	return sum;
}

FRAMELESS int hold_lock(int number)
{
	struct timespec time = {.tv_nsec = 15000000};

	pthread_mutex_lock(&lock);
	nanosleep(&time, NULL);
	pthread_mutex_unlock(&lock);
	return number + (int)sink;
}

FRAMELESS int save_order(int number)
{
	return hold_lock(number) + 1;
}

FRAMELESS int print_invoice(int number)
{
	return hold_lock(number) + 2;
}

static void *orders(void *argument)
{
	while (!is_over)
		sink += (uint64_t)save_order(1);
	return argument;
}

static void *invoices(void *argument)
{
	while (!is_over)
		sink += (uint64_t)print_invoice(1);
	return argument;
}

static void on_timer(int number)
{
	sink += checksum(600000) + (uint64_t)number;
}

static int compare(const void *one, const void *two)
{
	return *(const int *)one < *(const int *)two ? -1 : *(const int *)one > *(const int *)two;
}

FRAMELESS uint64_t sort_some(int *numbers)
{
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = rand();
	qsort(numbers, NUMBERS, sizeof(*numbers), compare);
	return (uint64_t)numbers[0];
}

int main(void)
{
	static int numbers[NUMBERS];
	static char room[1 << 16];
	struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval timer = {{0, 10000}, {0, 10000}};
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	pthread_t threads[2];

	sigaltstack(&stack, NULL);
	pthread_create(&threads[0], NULL, orders, NULL);
	pthread_create(&threads[1], NULL, invoices, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 400; i++)
		sink += sort_some(numbers);
	is_over = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
