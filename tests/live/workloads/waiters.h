/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a thread of waits.c and waits_user.c knows about its own waits: clock readings right around each blocking
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
#ifndef TESTS_LIVE_WAITERS_H
#define TESTS_LIVE_WAITERS_H

#include "workload.h"

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

/* --- threads, and the few blocking calls that they share ------------------------------------------ */

#define MS NS_PER_MS

void *waiter_main(void *arg);
long nap(uint64_t ns);
long pipe_read(int fd, void *buffer, size_t size);
long pipe_write(int fd, const void *buffer, size_t size);

/*
 * The kernel's own account, and how long it took to read. Reading the CPU time updates the run
 * time, which otherwise lags by a tick.
 */
static inline uint64_t read_account(struct waiter *w, int schedstat, char *text, size_t size)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	w->nvcsw = usage.ru_nvcsw;
	w->nivcsw = usage.ru_nivcsw;
	(void)clock_ns(CLOCK_THREAD_CPUTIME_ID);
	must(pread(schedstat, text, size, 0) > 0, "schedstat");
	w->ended = clock_ns(CLOCK_MONOTONIC);
	return w->ended - began;
}

/* Reads all of it at one moment: reads once more if the thread was interrupted. */
static inline void waiter_account(struct waiter *w)
{
	char text[96] = "";
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	must(fd >= 0, "schedstat");
	for (int tries = 0; read_account(w, fd, text, sizeof(text) - 1) > NS_PER_MS / 10 && tries < 100; tries++)
		;
	close(fd);
	must(sscanf(text, "%lu %lu", &w->run_ns, &w->delay_ns) == 2, "schedstat");
}

FRAMED void *waiter_main(void *arg)
{
	struct waiter *w = arg;

	prctl(PR_SET_NAME, w->comm);
	w->tid = (pid_t)syscall(SYS_gettid);
	w->tgid = getpid();
	w->run(w);
	waiter_account(w);
	return NULL;
}

static inline void waiters_start(struct waiter *waiters, size_t count)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (size_t i = 0; i < count; i++) {
		waiters[i].brackets = calloc(waiters[i].room + 1, sizeof(struct bracket));
		must(waiters[i].brackets != NULL, "calloc");
		waiters[i].born = clock_ns(CLOCK_MONOTONIC);
		must(!pthread_create(&waiters[i].thread, &attr, waiter_main, &waiters[i]), "pthread_create");
	}
}

static inline void waiters_end(struct waiter *waiters, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pthread_join(waiters[i].thread, NULL);
	for (size_t i = 0; i < count; i++)
		waiter_print(&waiters[i]);
}

static inline void waiters_run(struct waiter *waiters, size_t count)
{
	waiters_start(waiters, count);
	waiters_end(waiters, count);
}

FRAMED long nap(uint64_t ns)
{
	struct timespec time = timespec_of(ns);

	return raw_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&time, 0);
}

FRAMED long pipe_read(int fd, void *buffer, size_t size) { return raw_call(SYS_read, fd, (long)buffer, (long)size, 0); }

FRAMED long pipe_write(int fd, const void *buffer, size_t size)
{
	return raw_call(SYS_write, fd, (long)buffer, (long)size, 0);
}

/* --- signals: one sleeps until it gets one, the other sends them --------------------------------- */

struct signals {
	atomic_int asleep, tid; /* rounds begun; of the sleeper */
	uint64_t after; /* ns that it may sleep before each */
};

FRAMED void sleep_until_signal(struct waiter *w)
{
	struct signals *signals = w->shared;

	atomic_store(&signals->tid, w->tid);
	for (size_t i = 0; i < w->room; i++) {
		atomic_fetch_add(&signals->asleep, 1);
		waiter_begin(w);
		must(nap(10 * NS_PER_S) == -EINTR, "no signal came");
		waiter_end(w);
	}
}

FRAMED void send_signals(struct waiter *w)
{
	struct signals *signals = w->shared;

	for (int i = 1; i <= (int)w->amount; i++) {
		while (atomic_load(&signals->asleep) < i)
			rest(100000);
		rest(signals->after);
		must(!raw_call(SYS_tgkill, getpid(), atomic_load(&signals->tid), SIGUSR1, 0), "tgkill");
	}
}

#endif
