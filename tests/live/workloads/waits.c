/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * waits KIND [ARGUMENT]...: threads that wait in ways that are known, and then say what truly happened (waits_truth.h).
 *
 *   sleeps SECONDS [STAY]  s3, s7, s20, s150: each sleeps so many ms, again and again, on a call path of its own;
 *                      the process stays for STAY seconds more
 *   chain ROUNDS       chain-a waits for chain-b's mutex, chain-b for chain-c's pipe, chain-c for a timer of 50 ms
 *   spin SECONDS       spin-a, spin-b on one CPU: preempted, never blocked
 *   yield SECONDS      yield-a, yield-b on one CPU: sched_yield, and nothing else
 *   signal ROUNDS      sig-sleeper sleeps for 10 s each time; sig-sender interrupts it after 20 ms
 *   cancel ROUNDS [NS]  cancelled begins to sleep while a signal comes, in steps of NS, on the CPU of a spinning thread
 *   forever SECONDS    forever reads from a pipe that nobody writes to; says so at once; all end after SECONDS
 *   many THREADS       m00000 ...: three sleeps each
 *   churn PROCESSES    churn-0 ... churn-3: processes, every second with a thread, that sleep a few ms and are gone
 *   several ROUNDS     pour writes 1 MiB into a pipe that is emptied in steps of 64 KiB every 10 ms: many sleeps in one call
 *   faults FILE        touch sleeps in page faults on a file that is not in memory
 *   disk FILE COUNT    reader reads directly from a device
 *   states ROUNDS      state-d waits for a vfork child of 20 ms, state-s sleeps as long
 *   mixed SECONDS      CPU time, sleeps and pipes on crowded CPUs
 *   storm SECONDS      ping, pong: one byte there and back on one CPU, as often as it can
 */
#include "waits_io.h"
#include "waits_load.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

/* --- sleeps ---------------------------------------------------------------------------------- */

#define SLEEP_PATH(name, ms)                                \
	FRAMED void name(struct waiter *w)                  \
	{                                                   \
		for (size_t i = 0; i < w->room; i++) {      \
			waiter_begin(w);                    \
			nap((ms) * MS);                     \
			waiter_end(w);                      \
		}                                           \
		__asm__ volatile("");                       \
	}
SLEEP_PATH(sleep_three, 3)
SLEEP_PATH(sleep_seven, 7)
SLEEP_PATH(sleep_twenty, 20)
SLEEP_PATH(sleep_long, 150)

static void sleeps(char **argv)
{
	size_t ms = (size_t)(strtod(argv[0], NULL) * 1000);
	struct waiter waiters[] = {
		{.comm = "s3", .path = "sleep_three;nap", .run = sleep_three, .room = ms / 3},
		{.comm = "s7", .path = "sleep_seven;nap", .run = sleep_seven, .room = ms / 7},
		{.comm = "s20", .path = "sleep_twenty;nap", .run = sleep_twenty, .room = ms / 20},
		{.comm = "s150", .path = "sleep_long;nap", .run = sleep_long, .room = ms / 150},
	};

	waiters_run(waiters, 4);
	fflush(stdout);
	if (argv[1])
		rest((uint64_t)(strtod(argv[1], NULL) * 1e9));
}

FRAMED void sleep_thrice(struct waiter *w)
{
	for (unsigned int i = 1; i <= 3; i++) {
		waiter_begin(w);
		nap((30 * i + w->amount) * MS);
		waiter_end(w);
	}
}

static void many(char **argv)
{
	size_t count = strtoul(argv[0], NULL, 10);
	struct waiter *waiters = calloc(count, sizeof(*waiters));

	for (size_t i = 0; waiters && i < count; i++) {
		waiters[i] = (struct waiter){.path = "sleep_thrice;nap", .run = sleep_thrice, .room = 3, .amount = i % 16};
		snprintf(waiters[i].name, sizeof(waiters[i].name), "m%05zu", i % 100000);
		waiters[i].comm = waiters[i].name;
	}
	if (!waiters)
		fault("calloc");
	waiters_run(waiters, count);
}

/* --- a chain --------------------------------------------------------------------------------- */

struct chain {
	atomic_int mutex;  /* 0 free, 1 taken, 2 taken and somebody may wait */
	atomic_int rounds; /* begun by chain-b, which holds the mutex then */
	pthread_barrier_t round;
	int pipe[2];
};

FRAMED void mutex_take(atomic_int *mutex)
{
	while (atomic_exchange(mutex, 2) != 0)
		raw_call(SYS_futex, (long)mutex, FUTEX_WAIT_PRIVATE, 2, 0);
}

FRAMED void mutex_give(atomic_int *mutex)
{
	atomic_store(mutex, 0);
	raw_call(SYS_futex, (long)mutex, FUTEX_WAKE_PRIVATE, 1, 0);
}

FRAMED void chain_a(struct waiter *w)
{
	struct chain *chain = w->shared;

	for (int i = 0; i < (int)w->room; i++) {
		pthread_barrier_wait(&chain->round);
		while (atomic_load(&chain->rounds) <= i)
			rest(100000);
		waiter_begin(w);
		mutex_take(&chain->mutex);
		waiter_end(w);
		mutex_give(&chain->mutex);
	}
}

FRAMED void chain_b(struct waiter *w)
{
	struct chain *chain = w->shared;
	char byte;

	for (size_t i = 0; i < w->room; i++) {
		pthread_barrier_wait(&chain->round);
		mutex_take(&chain->mutex);
		atomic_fetch_add(&chain->rounds, 1);
		waiter_begin(w);
		if (pipe_read(chain->pipe[0], &byte, 1) != 1)
			fault("read");
		waiter_end(w);
		mutex_give(&chain->mutex);
	}
}

FRAMED void chain_c(struct waiter *w)
{
	struct chain *chain = w->shared;

	for (size_t i = 0; i < w->room; i++) {
		pthread_barrier_wait(&chain->round);
		waiter_begin(w);
		nap(50 * MS);
		waiter_end(w);
		if (pipe_write(chain->pipe[1], "x", 1) != 1)
			fault("write");
	}
}

static void chain(char **argv)
{
	size_t rounds = strtoul(argv[0], NULL, 10);
	struct chain chain = {0};
	struct waiter waiters[] = {
		{.comm = "chain-a", .path = "chain_a;mutex_take", .run = chain_a, .shared = &chain, .room = rounds},
		{.comm = "chain-b", .path = "chain_b;pipe_read", .run = chain_b, .shared = &chain, .room = rounds},
		{.comm = "chain-c", .path = "chain_c;nap", .run = chain_c, .shared = &chain, .room = rounds},
	};

	if (pipe(chain.pipe) || pthread_barrier_init(&chain.round, NULL, 3))
		fault("pipe");
	waiters_run(waiters, 3);
}

/* --- off the CPU, and not asleep --------------------------------------------------------------- */

/* A millisecond between two readings of the clock is a wait where the kernel has counted a switch; else it was the host. */
FRAMED void spin(struct waiter *w)
{
	uint64_t last, now = clock_ns(CLOCK_MONOTONIC), stop = now + w->amount;
	struct rusage usage;
	long switches = 0;

	while (now < stop) {
		last = now;
		now = clock_ns(CLOCK_MONOTONIC);
		if (now - last < MS)
			continue;
		getrusage(RUSAGE_THREAD, &usage);
		if (usage.ru_nivcsw > switches && w->count < w->room) {
			w->brackets[w->count].begin = last;
			w->brackets[w->count++].end = now;
		}
		switches = usage.ru_nivcsw;
	}
}

static void spins(char **argv)
{
	uint64_t ns = (uint64_t)(strtod(argv[0], NULL) * 1e9);
	struct waiter waiters[] = {
		{.comm = "spin-a", .path = "spin", .run = spin, .amount = ns, .room = 100000},
		{.comm = "spin-b", .path = "spin", .run = spin, .amount = ns, .room = 100000},
	};

	stay_on_one_cpu();
	waiters_run(waiters, 2);
}

FRAMED void give_way(struct waiter *w)
{
	uint64_t stop = clock_ns(CLOCK_MONOTONIC) + w->amount;
	size_t yields = 0;

	for (; clock_ns(CLOCK_MONOTONIC) < stop; yields++)
		raw_call(SYS_sched_yield, 0, 0, 0, 0);
	snprintf(w->more, sizeof(w->more), " yields=%zu", yields);
}

static void yields(char **argv)
{
	uint64_t ns = (uint64_t)(strtod(argv[0], NULL) * 1e9);
	struct waiter waiters[] = {
		{.comm = "yield-a", .path = "give_way", .run = give_way, .amount = ns},
		{.comm = "yield-b", .path = "give_way", .run = give_way, .amount = ns},
	};

	stay_on_one_cpu();
	waiters_run(waiters, 2);
}

/* --- signals ------------------------------------------------------------------------------------ */

struct signals {
	atomic_int asleep; /* rounds begun; -1: over */
	atomic_int tid;
	uint64_t step; /* ns */
};

static void caught(int signal)
{
	(void)signal;
}

FRAMED void sleep_until_signal(struct waiter *w)
{
	struct signals *signals = w->shared;

	atomic_store(&signals->tid, w->tid);
	for (size_t i = 0; i < w->room; i++) {
		atomic_fetch_add(&signals->asleep, 1);
		waiter_begin(w);
		if (nap(10 * NS_PER_S) != -EINTR)
			fault("no signal came");
		waiter_end(w);
	}
}

FRAMED void send_signals(struct waiter *w)
{
	struct signals *signals = w->shared;

	for (int i = 1; i <= (int)w->amount; i++) {
		while (atomic_load(&signals->asleep) < i)
			rest(100000);
		rest(20 * MS);
		if (raw_call(SYS_tgkill, getpid(), atomic_load(&signals->tid), SIGUSR1, 0))
			fault("tgkill");
	}
}

static void signals(char **argv)
{
	size_t rounds = strtoul(argv[0], NULL, 10);
	struct signals signals = {0};
	struct waiter waiters[] = {
		{.comm = "sig-sleeper", .path = "sleep_until_signal;nap", .run = sleep_until_signal, .shared = &signals,
		 .room = rounds},
		{.comm = "sig-sender", .path = "send_signals", .run = send_signals, .shared = &signals, .amount = rounds},
	};

	signal(SIGUSR1, caught);
	waiters_run(waiters, 2);
}

FRAMED void spin_until_over(struct waiter *w)
{
	struct signals *signals = w->shared;

	while (atomic_load(&signals->asleep) >= 0)
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

/* A timer goes off up to 600 steps after it was set: before, while or after this thread goes to sleep. */
FRAMED void sleep_cancelled(struct waiter *w)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1, ._sigev_un._tid = w->tid};
	struct itimerspec when = {{0, 0}, {0, 0}};
	struct signals *signals = w->shared;
	size_t interrupted = 0;
	timer_t timer;

	/* So that the scheduler prefers the other thread at once, though this one has not gone to sleep. */
	if (setpriority(PRIO_PROCESS, (id_t)w->tid, 19) || timer_create(CLOCK_MONOTONIC, &event, &timer))
		fault("timer_create");
	for (size_t i = 0; i < w->amount; i++) {
		when.it_value.tv_nsec = (long)(1 + i % 600 * signals->step);
		timer_settime(timer, 0, &when, NULL);
		interrupted += nap(2000 * signals->step) == -EINTR;
	}
	timer_delete(timer);
	atomic_store(&signals->asleep, -1);
	snprintf(w->more, sizeof(w->more), " interrupted=%zu", interrupted);
}

static void cancels(char **argv)
{
	struct signals signals = {.step = argv[1] ? strtoul(argv[1], NULL, 10) : 50};
	struct waiter waiters[] = {
		{.comm = "cancelled", .path = "sleep_cancelled;nap", .run = sleep_cancelled, .shared = &signals,
		 .amount = strtoul(argv[0], NULL, 10)},
		{.comm = "cancel-spin", .path = "spin_until_over", .run = spin_until_over, .shared = &signals},
	};

	signal(SIGUSR1, caught);
	stay_on_one_cpu();
	waiters_run(waiters, 2);
}

FRAMED void read_forever(struct waiter *w)
{
	int *ends = w->shared;
	char byte;

	waiter_begin(w);
	waiter_account(w);
	waiter_print(w);
	printf("wait tid=%d comm=%s path=%s begin=%lu\n", w->tid, w->comm, w->path, w->brackets->begin);
	fflush(stdout);
	pipe_read(ends[0], &byte, 1);
}

static void forever(char **argv)
{
	int ends[2];
	struct waiter waiter = {.comm = "forever", .path = "read_forever;pipe_read", .run = read_forever, .shared = ends, .room = 1};

	if (pipe(ends))
		fault("pipe");
	waiters_start(&waiter, 1);
	rest((uint64_t)(strtod(argv[0], NULL) * 1e9));
	_exit(0);
}

/* --- sleeps in D and in S ------------------------------------------------------------------------ */

FRAMED void wait_for_vfork(struct waiter *w)
{
	int status;

	for (size_t i = 0; i < w->room; i++) {
		pid_t pid;

		waiter_begin(w);
		pid = vfork();
		if (pid == 0) {
			raw_call(SYS_prctl, PR_SET_NAME, (long)"state-child", 0, 0);
			nap(20 * MS);
			_exit(0);
		}
		waiter_end(w);
		waitpid(pid, &status, 0);
	}
}

FRAMED void sleep_as_long(struct waiter *w)
{
	for (size_t i = 0; i < w->room; i++) {
		waiter_begin(w);
		nap(20 * MS);
		waiter_end(w);
	}
}

static void states(char **argv)
{
	size_t rounds = strtoul(argv[0], NULL, 10);
	struct waiter waiters[] = {
		{.comm = "state-d", .path = "wait_for_vfork", .run = wait_for_vfork, .room = rounds},
		{.comm = "state-s", .path = "sleep_as_long;nap", .run = sleep_as_long, .room = rounds},
	};

	waiters_run(waiters, 2);
}

/* --- the kinds --------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(char **argv);
	int arguments;
} kinds[] = {
	{"sleeps", sleeps, 1}, {"chain", chain, 1},   {"spin", spins, 1},      {"yield", yields, 1},     {"signal", signals, 1},
	{"cancel", cancels, 1}, {"forever", forever, 1}, {"many", many, 1},    {"churn", churn, 1},      {"several", several, 1},
	{"faults", faults, 1}, {"disk", disk, 2},     {"states", states, 1},   {"mixed", mixed, 1},      {"storm", storm, 1},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0 || argc < kinds[i].arguments + 2)
			continue;
		kinds[i].run(argv + 2);
		return 0;
	}
	fprintf(stderr, "usage: waits KIND ARGUMENT...; the kinds are told in waits.c\n");
	return 2;
}
