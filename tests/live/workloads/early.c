/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * early MS...: threads of several scheduling classes that go to sleep that many ms before "asleep"
 * is printed, for a recording that begins then. Half of them are woken by SIGUSR1, the others sleep
 * until SIGTERM. Times are CLOCK_MONOTONIC ns.
 *
 *   sleeper comm tid begin disturbed   begin: its clock before the call; disturbed: it was switched
 *                                      out in between, or since
 *   refused comm                       the host does not grant this scheduling class
 *   asleep
 *   woken comm tid begin end           end: its clock behind the call
 *   woken comm tid begin end           end: its clock after the call
 *
 * comm is KIND-MS-e for a sleep that ends, KIND-MS-o for one that does not.
 */
#include "workload.h"

enum { BUSY_MS = 200, ROOM = 128 };
#define REFUSED UINT64_MAX

struct deadline_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static const struct kind {
	const char *name;
	int policy, by_vfork, is_busy;
} kinds[] = {
	{"fair", SCHED_OTHER, 0, 0}, {"busy", SCHED_OTHER, 0, 1}, {"vfork", SCHED_OTHER, 1, 0},
	{"fifo", SCHED_FIFO, 0, 0},  {"fbusy", SCHED_FIFO, 0, 1}, {"dl", 6 /* SCHED_DEADLINE */, 0, 0},
};

static int pipes[2][2]; /* for sleeps that last forever; for those that end */

struct sleeper {
	const struct kind *kind;
	char comm[16];
	pthread_t thread;
	pid_t tid;
	int ends;
	uint64_t start, begin, end;
	long voluntary, involuntary; /* switches at `begin` */
};

/* False if this host grants that class to nobody. */
static int be_of(const struct kind *kind)
{
	struct deadline_attr attr = {.size = sizeof(attr), .policy = (uint32_t)kind->policy};

	if (kind->policy == SCHED_OTHER)
		return 1;
	if (kind->policy == SCHED_FIFO)
		attr.priority = 10;
	else
		attr.runtime = NS_PER_MS, attr.deadline = attr.period = 20 * NS_PER_MS;
	return !syscall(SYS_sched_setattr, 0, &attr, 0);
}

static void rest_until(uint64_t time)
{
	struct timespec at = timespec_of(time);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

static void wait_for_end(const struct sleeper *s)
{
	char byte;

	if (!s->kind->by_vfork) {
		must(read(pipes[s->ends][0], &byte, 1) >= 0, "read");
		return;
	}
	if (vfork() == 0) { /* the thread of its parent is in D as long as it lives */
		close(pipes[0][1]);
		close(pipes[1][1]);
		(void)!read(pipes[s->ends][0], &byte, 1);
		_exit(0);
	}
}

static void *run(void *argument)
{
	struct sleeper *s = argument;
	uint64_t seed = 1, busy = s->kind->is_busy ? BUSY_MS * NS_PER_MS : 0;
	struct rusage usage;

	prctl(PR_SET_NAME, s->comm);
	s->tid = (pid_t)syscall(SYS_gettid);
	if (!be_of(s->kind)) {
		__atomic_store_n(&s->begin, REFUSED, __ATOMIC_RELEASE);
		return NULL;
	}
	rest_until(s->start - busy);
	while (clock_ns(CLOCK_MONOTONIC) < s->start)
		BURN_SLICE(seed);
	getrusage(RUSAGE_THREAD, &usage);
	s->voluntary = usage.ru_nvcsw;
	s->involuntary = usage.ru_nivcsw;
	__atomic_store_n(&s->begin, clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELEASE);
	wait_for_end(s);
	s->end = clock_ns(CLOCK_MONOTONIC);
	return NULL;
}

static long status_of(pid_t tid, const char *key)
{
	char path[64], line[128];
	long value = -1;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, key, strlen(key)))
			value = strtol(line + strlen(key), NULL, 10);
	if (status)
		fclose(status);
	return value;
}

static void start(struct sleeper *s, const struct kind *kind, int ends, unsigned long ms, uint64_t asleep)
{
	*s = (struct sleeper){.kind = kind, .ends = ends, .start = asleep - ms * NS_PER_MS};
	snprintf(s->comm, sizeof(s->comm), "%s-%lu-%c", kind->name, ms, ends ? 'e' : 'o');
	must(!pthread_create(&s->thread, NULL, run, s), "pthread_create");
}

/* Whether the thread has not been switched out since it was about to call. */
static bool is_awake(const struct sleeper *s, long *ret_voluntary)
{
	if (s->begin == REFUSED)
		return false;
	*ret_voluntary = status_of(s->tid, "voluntary_ctxt_switches:");
	return *ret_voluntary <= s->voluntary;
}

static void tell_asleep(const struct sleeper *sleepers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct sleeper *s = &sleepers[i];
		long voluntary = 0;

		while (!__atomic_load_n(&s->begin, __ATOMIC_ACQUIRE) || is_awake(s, &voluntary))
			rest_until(clock_ns(CLOCK_MONOTONIC) + NS_PER_MS);
		if (s->begin == REFUSED) {
			printf("refused comm=%s\n", s->comm);
			continue;
		}
		printf("sleeper comm=%s tid=%d begin=%lu disturbed=%d\n", s->comm, s->tid, s->begin,
		       voluntary != s->voluntary + 1 ||
			       status_of(s->tid, "nonvoluntary_ctxt_switches:") != s->involuntary);
	}
	say("asleep");
}

static void tell_woken(const struct sleeper *sleepers, size_t count)
{
	close(pipes[1][1]);
	for (size_t i = 0; i < count; i++) {
		if (!sleepers[i].ends || sleepers[i].begin == REFUSED)
			continue;
		pthread_join(sleepers[i].thread, NULL);
		printf("woken comm=%s tid=%d begin=%lu end=%lu\n", sleepers[i].comm,
		       sleepers[i].tid, sleepers[i].begin, sleepers[i].end);
	}
	say("done");
}

int main(int argc, char **argv)
{
	static struct sleeper sleepers[ROOM];
	uint64_t asleep, longest = 0;
	size_t count = 0;
	sigset_t signals;
	int got;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	must(!pipe(pipes[0]) && !pipe(pipes[1]), "pipe");
	for (int i = 1; i < argc; i++)
		longest = strtoul(argv[i], NULL, 10) > longest ? strtoul(argv[i], NULL, 10) : longest;
	asleep = clock_ns(CLOCK_MONOTONIC) + (longest + 2 * BUSY_MS) * NS_PER_MS;
	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < 2 * COUNT(kinds) && count < ROOM; k++)
			start(&sleepers[count++], &kinds[k / 2], k % 2, strtoul(argv[i], NULL, 10), asleep);
	rest_until(asleep);
	tell_asleep(sleepers, count);
	sigwait(&signals, &got);
	tell_woken(sleepers, count);
	for (;;)
		pause();
}
