/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a thread of waits.c knows about its own waits: clock readings right around each blocking
 * call, and what the kernel itself has counted for it. Lines of "word key=value ...", times in ns,
 * CLOCK_MONOTONIC unless named _real:
 *
 *   thread comm path tid tgid born ended nvcsw nivcsw run delay count total longest begin end begin_real end_real ...
 *   wait tid comm path begin end begin_real end_real
 *   asleep tid time                  of a thread that never wakes up: when it was seen asleep
 *   machine stolen
 *
 * begin and end are of the longest wait. born is read before the thread is created, so all its
 * waits are after it; ended with the schedstat figures `run` and `delay`, which count from the
 * thread's birth. A wait as the scheduler sees it is within its bracket [begin, end] and is shorter
 * by the way into the kernel and back.
 */
#ifndef TESTS_LIVE_WAITS_TRUTH_H
#define TESTS_LIVE_WAITS_TRUTH_H

#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAMED __attribute__((noinline, noclone))

struct bracket {
	uint64_t begin, end, begin_real, end_real;
};

struct waiter {
	const char *comm;
	const char *path; /* functions of this program in its stacks, root;leaf */
	void (*run)(struct waiter *w);
	void *shared;
	uint64_t amount; /* argument of `run`: ns, rounds, a CPU */
	size_t room;	 /* maximum of waits; more are an error of the workload */
	char more[160];	 /* further " key=value" of the thread line */

	pthread_t thread;
	pid_t tid, tgid;
	size_t count;
	struct bracket *brackets;
	uint64_t born, ended, run_ns, delay_ns;
	long nvcsw, nivcsw;
};

_Noreturn static inline void fault(const char *what)
{
	perror(what);
	_exit(1);
}

/*
 * A system call in the caller's own frame: libc's wrappers have none and would hide their caller.
 * It asks for the frame address because gcc otherwise gives a leaf function no frame.
 */
static inline __attribute__((always_inline)) long raw_call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(__builtin_frame_address(0))
			 : "rcx", "r11", "memory");
	return result;
}

static inline void waiter_begin(struct waiter *w)
{
	struct bracket *bracket = &w->brackets[w->count];

	if (w->count == w->room)
		abort();
	bracket->begin_real = clock_ns(CLOCK_REALTIME);
	bracket->begin = clock_ns(CLOCK_MONOTONIC);
}

static inline void waiter_end(struct waiter *w)
{
	struct bracket *bracket = &w->brackets[w->count++];

	bracket->end = clock_ns(CLOCK_MONOTONIC);
	bracket->end_real = clock_ns(CLOCK_REALTIME);
}

static inline const struct bracket *waiter_longest(const struct waiter *w, uint64_t *ret_total)
{
	static const struct bracket none;
	const struct bracket *longest = &none;

	*ret_total = 0;
	for (size_t i = 0; i < w->count; i++) {
		const struct bracket *b = &w->brackets[i];

		*ret_total += b->end - b->begin;
		if (b->end - b->begin > longest->end - longest->begin)
			longest = b;
	}
	return longest;
}

static inline void waiter_print(const struct waiter *w)
{
	uint64_t total;
	const struct bracket *longest = waiter_longest(w, &total);

	printf("thread comm=%s path=%s tid=%d tgid=%d born=%lu ended=%lu nvcsw=%ld nivcsw=%ld "
	       "run=%lu delay=%lu count=%zu total=%lu longest=%lu begin=%lu end=%lu begin_real=%lu "
	       "end_real=%lu%s\n",
	       w->comm, w->path, w->tid, w->tgid, w->born, w->ended, w->nvcsw, w->nivcsw, w->run_ns,
	       w->delay_ns, w->count, total, longest->end - longest->begin, longest->begin,
	       longest->end, longest->begin_real, longest->end_real, w->more);
	for (size_t i = 0; i < w->count; i++) {
		const struct bracket *b = &w->brackets[i];

		printf("wait tid=%d comm=%s path=%s begin=%lu end=%lu begin_real=%lu end_real=%lu\n",
		       w->tid, w->comm, w->path, b->begin, b->end, b->begin_real, b->end_real);
	}
}

#endif
