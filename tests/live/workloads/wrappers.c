/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Calls of functions without a frame record, by functions that have one. wr_outer_X calls wr_inner_X, which waits in a
 * wrapper of the C library, X = sleep, read, poll, futex. wr_one and wr_two call wr_leaf, which computes and pushes
 * nothing; wr_push calls wr_pusher, which has a pointer to wr_decoy on its stack, where the return address would be if
 * it had pushed nothing; wr_hides calls wr_hidden, which uses the frame pointer for something else.
 * Prints "NAME NANOSECONDS" for the CPU time of each call of these.
 */
#include "workload.h"

#include <poll.h>

#define FRAMED __attribute__((noinline, noclone, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))

enum { ROUNDS = 20, NAP_NS = 10000000 };

static volatile unsigned long sink;
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

unsigned long wr_leaf(unsigned long count), wr_pusher(unsigned long count), wr_hidden(unsigned long count);
void wr_decoy(void);

#define LOOP "1: imul $7, %rax, %rax\n add %rdi, %rax\n dec %rdi\n jnz 1b\n"
#define FUNCTION(name, body) \
	".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" body \
	"ret\n.cfi_endproc\n.size " name ", . - " name "\n"
__asm__(".text\n"
	FUNCTION("wr_leaf", LOOP)
	FUNCTION("wr_pusher", "lea wr_decoy+4(%rip), %rax\n push %rax\n.cfi_adjust_cfa_offset 8\n" LOOP
		 "pop %rdx\n.cfi_adjust_cfa_offset -8\n")
	FUNCTION("wr_hidden", "push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp, 0\n"
		 "lea -128(%rsp), %rbp\n" LOOP "pop %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbp\n"));

FRAMED void wr_decoy(void) { sink++; }

#define WAITS(name, call) \
	FRAMED static void wr_inner_##name(void) { call; sink++; } \
	FRAMED static void wr_outer_##name(void) { wr_inner_##name(); sink++; }
#define COMPUTES(name, leaf) FRAMED static void name(unsigned long count) { sink += leaf(count); sink++; }

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static void wait_for_condition(void)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
}

WAITS(sleep, nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL))
WAITS(read, char byte; if (read(ends[0], &byte, 1) != 1) exit(1))
WAITS(poll, poll(NULL, 0, NAP_NS / 1000000))
WAITS(futex, wait_for_condition())
COMPUTES(wr_one, wr_leaf)
COMPUTES(wr_two, wr_leaf)
COMPUTES(wr_push, wr_pusher)
COMPUTES(wr_hides, wr_hidden)

static void *feed(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		for (int naps = 0; naps < 4; naps++) /* longer than the others' waits, so that read() waits */
			nap();
		if (write(ends[1], "", 1) != 1)
			exit(1);
	}
	for (;;) {
		nap();
		pthread_mutex_lock(&lock);
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

FRAMED static void measure(const char *name, void (*compute)(unsigned long), unsigned long count)
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	compute(count);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	printf("%s %ld\n", name, (to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec);
}

int main(void)
{
	pthread_t feeder;

	if (pipe(ends) || pthread_create(&feeder, NULL, feed, NULL))
		return 1;
	wr_decoy();
	for (int i = 0; i < ROUNDS; i++) {
		wr_outer_sleep();
		wr_outer_read();
		wr_outer_poll();
	}
	for (int i = 0; i < ROUNDS; i++)
		wr_outer_futex();
	measure("wr_one", wr_one, 100000000);
	measure("wr_two", wr_two, 300000000);
	measure("wr_push", wr_push, 100000000);
	measure("wr_hides", wr_hides, 100000000);
	return 0;
}
