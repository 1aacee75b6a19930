/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * signals SECONDS : for that long, a signal every 20 ms, whose handler computes for 8 ms, in code
 * without frame pointers. The handler's path is signals_burn <- signals_inner <- on_signal; it
 * interrupts signals_spin <- signals_middle <- main, where signals_spin calls nothing and so need
 * not have saved its return address.
 */
#include "guest.h"

#include <signal.h>
#include <sys/time.h>

#define PATH __attribute__((noinline, optimize("O2", "omit-frame-pointer")))

static volatile uint64_t sink;

PATH static void signals_burn(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink += i;
}

PATH static uint64_t signals_inner(uint64_t end_ns)
{
	volatile uint64_t room[60];

	for (room[9] = 0; now_ns() < end_ns; room[9]++)
		signals_burn(20000);
	return room[9];
}

PATH static void on_signal(int number)
{
	sink += signals_inner(now_ns() + 8000000) + (uint64_t)number;
}

PATH static void signals_spin(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink ^= i;
}

PATH static uint64_t signals_middle(uint64_t rounds)
{
	volatile uint64_t room[20];

	room[3] = rounds;
	signals_spin(rounds);
	return room[3] + 1;
}

int main(int argc, char **argv)
{
	const struct itimerval every = {.it_interval.tv_usec = 20000, .it_value.tv_usec = 20000};
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	uint64_t end_ns = now_ns() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * UINT64_C(1000000000);

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &every, NULL))
		die("setitimer");
	while (now_ns() < end_ns)
		sink += signals_middle(100000);
	return 0;
}
