/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Stacks that are hard to unwind, with callers that are known nevertheless, because each function
 * has only one: assembly without tables (hard_stacks.S), coroutines, a signal handler that
 * interrupts another one on the same alternate stack. Argument: milliseconds of CPU time.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define APART __attribute__((noinline, noclone))

enum { STACK = 65536 };

void hs_pushes(void);
void hs_large(void);
void hs_clears(void);
void hs_jumps(void);
void hs_writes(void);
void hs_far(void *stack);

static volatile unsigned int sink;
static ucontext_t main_context, other_context;
static char *untouched;

APART void hs_burn(void)
{
	for (unsigned int i = 0; i < 200000; i++)
		sink = sink * 1103515245u + i;
}

/*
 * Leaves return addresses on the stack where others will have their frames: every 512 bytes, for 10
 * KiB. After that, all of these pages are in memory. An untouched page cannot be copied: if a stack
 * begins there, its callers are unknown.
 */
APART static void leave_words(int depth)
{
	volatile char words[512];

	words[0] = words[511] = 0;
	if (depth)
		leave_words(depth - 1);
	sink++;
}

#define BY(name)                             \
	APART static void by_##name(void)    \
	{                                    \
		hs_##name();                 \
		sink++;                      \
	}

BY(pushes)
BY(clears)
BY(jumps)
BY(writes)

APART static void by_large(void)
{
	leave_words(20);
	hs_large();
	sink++;
}

APART static void in_coroutine(void)
{
	hs_burn();
	sink++;
}

static void coroutine(void)
{
	for (;;) {
		in_coroutine();
		swapcontext(&other_context, &main_context);
	}
}

APART static void by_coroutine(void)
{
	swapcontext(&main_context, &other_context);
	sink++;
}

APART static void second_handler(int number)
{
	(void)number;
	hs_burn();
	sink++;
}

APART static void first_handler(int number)
{
	(void)number;
	raise(SIGUSR2);
	sink++;
}

APART static void by_signals(void)
{
	raise(SIGUSR1);
	sink++;
}

/* Nothing is ever written there, so it has no page. */
APART static void by_far(void)
{
	hs_far(untouched + STACK / 2);
	sink++;
}

static void prepare(void)
{
	stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
	struct sigaction first = {.sa_handler = first_handler, .sa_flags = SA_ONSTACK};
	struct sigaction second = {.sa_handler = second_handler};

	untouched = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (untouched == MAP_FAILED)
		exit(1);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &first, NULL);
	sigaction(SIGUSR2, &second, NULL);
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = malloc(STACK);
	other_context.uc_stack.ss_size = STACK;
	makecontext(&other_context, coroutine, 0);
}

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? atoi(argv[1]) : 1000) * (CLOCKS_PER_SEC / 1000);

	prepare();
	while (clock() < end) {
		by_pushes();
		by_large();
		by_clears();
		by_jumps();
		by_writes();
		by_coroutine();
		by_signals();
		by_far();
	}
	return 0;
}
