/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * waits_user ROUNDS: threads that wait where it is hard to get a user stack, each on a known path
 * (waits_truth.h). For those that do not end by returning, lines of "ended comm=COMM count=N
 * path=PATH".
 *
 *   deep-3, deep-40    sleep that many calls of go_down deep
 *   handled            a signal interrupts its sleep; the handler sleeps, too
 *   faulting           sleeps in a page fault, in no system call, until it is given the page
 *   spun-a, spun-b     one CPU, and no system call: preempted
 *   killed             processes that are killed by SIGKILL while they sleep
 *   execing            processes that sleep, and then call exec at once
 *   exiting            processes whose main thread sleeps while another thread ends them
 */
#include "waiters.h"

/* --- depths ------------------------------------------------------------------------------------ */

FRAMED void go_down(size_t calls)
{
	if (calls > 1)
		go_down(calls - 1);
	else
		nap(5 * MS);
	__asm__ volatile(""); /* no tail call */
}

FRAMED void sleep_deep(struct waiter *w)
{
	for (size_t i = 0; i < w->room; i++) {
		waiter_begin(w);
		go_down(w->amount);
		waiter_end(w);
	}
}

/* --- signals ----------------------------------------------------------------------------------- */

FRAMED void handler_sleeps(int signal)
{
	(void)signal;
	nap(5 * MS);
	__asm__ volatile("");
}

/* --- page faults ------------------------------------------------------------------------------- */

struct held_page {
	char *page;
	int faults;
};

FRAMED void touch_page(struct waiter *w)
{
	struct held_page *held = w->shared;

	for (size_t i = 0; i < w->room; i++) {
		waiter_begin(w);
		__asm__ volatile("movb $1, (%0)" : : "r"(held->page), "r"(__builtin_frame_address(0)) : "memory");
		waiter_end(w);
		madvise(held->page, PAGE, MADV_DONTNEED);
	}
}

FRAMED void give_pages(struct waiter *w)
{
	struct held_page *held = w->shared;

	for (size_t i = 0; i < w->amount; i++) {
		await_fault(held->faults);
		rest(5 * MS);
		provide_page(held->faults, held->page);
	}
}

/* --- no system call ------------------------------------------------------------------------------ */

/* Until both have been preempted often enough, or for ten seconds. */
FRAMED void spin_preempted(struct waiter *w)
{
	uint64_t stop = clock_ns(CLOCK_MONOTONIC) + 10 * NS_PER_S;
	atomic_int *left = w->shared;
	struct rusage usage;
	bool done = false;

	bind_to(0, allowed_cpu(true));
	while (atomic_load(left) && clock_ns(CLOCK_MONOTONIC) < stop) {
		uint64_t pause = clock_ns(CLOCK_MONOTONIC) + 100 * MS;

		while (clock_ns(CLOCK_MONOTONIC) < pause)
			__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
		getrusage(RUSAGE_THREAD, &usage);
		if (!done && usage.ru_nivcsw >= (long)w->amount)
			done = !!atomic_fetch_sub(left, 1);
	}
}

/* --- ends ---------------------------------------------------------------------------------------- */

/* Until the main thread of that process sleeps, however busy the machine is, and for a while after that. */
static void wait_for_nap(pid_t pid)
{
	await_call_number(pid, SYS_clock_nanosleep);
	rest(5 * MS);
}

FRAMED void sleep_killed(void)
{
	nap(10 * NS_PER_S);
	__asm__ volatile("");
}

FRAMED void sleep_execing(void)
{
	nap(5 * MS);
	execl("/bin/true", "true", (char *)NULL);
	_exit(127);
}

static void *end_process(void *arg)
{
	(void)arg;
	wait_for_nap(getpid());
	_exit(0);
}

FRAMED void sleep_exiting(void)
{
	pthread_t thread;

	must(!pthread_create(&thread, NULL, end_process, NULL), "pthread_create");
	nap(10 * NS_PER_S);
	__asm__ volatile("");
}

static void ends(const char *comm, const char *path, void (*sleep)(void), size_t rounds)
{
	for (size_t i = 0; i < rounds; i++) {
		pid_t child = fork();

		must(child >= 0, "fork");
		if (child == 0) {
			prctl(PR_SET_NAME, comm);
			sleep();
			_exit(1);
		}
		if (sleep == sleep_killed) {
			wait_for_nap(child);
			kill(child, SIGKILL);
		}
		waitpid(child, NULL, 0);
	}
	printf("ended comm=%s count=%zu path=%s\n", comm, rounds, path);
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
	struct held_page held = {.faults = faults_open()};
	struct signals signalled = {.after = 10 * MS};
	atomic_int spinning = 2;
	struct waiter waiters[] = {
		{.comm = "deep-3", .path = "sleep_deep;go_down;nap", .run = sleep_deep, .amount = 3, .room = rounds},
		{.comm = "deep-40", .path = "sleep_deep;go_down;nap", .run = sleep_deep, .amount = 40, .room = rounds},
		{.comm = "handled", .path = "sleep_until_signal;nap", .run = sleep_until_signal,
		 .shared = &signalled, .room = rounds},
		{.comm = "sender", .path = "send_signals", .run = send_signals, .shared = &signalled, .amount = rounds},
		{.comm = "faulting", .path = "touch_page", .run = touch_page, .shared = &held, .room = rounds},
		{.comm = "giver", .path = "give_pages", .run = give_pages, .shared = &held, .amount = rounds},
		{.comm = "spun-a", .path = "spin_preempted", .run = spin_preempted,
		 .shared = &spinning, .amount = rounds},
		{.comm = "spun-b", .path = "spin_preempted", .run = spin_preempted,
		 .shared = &spinning, .amount = rounds},
	};
	struct sigaction action = {.sa_handler = handler_sleeps};

	held.page = missing_pages(held.faults, PAGE);
	sigaction(SIGUSR1, &action, NULL);
	waiters_run(waiters, COUNT(waiters));
	ends("killed", "sleep_killed;nap", sleep_killed, rounds);
	ends("execing", "sleep_execing;nap", sleep_execing, rounds);
	ends("exiting", "sleep_exiting;nap", sleep_exiting, rounds);
	return 0;
}
