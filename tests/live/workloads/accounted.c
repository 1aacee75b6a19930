/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * accounted KIND ARGUMENT...: threads whose time on run queues and in throttled groups the kernel accounts in ways that
 * are easily told wrongly. Times in ns, those on run queues by the kernel's own count; moments of CLOCK_MONOTONIC.
 *
 *   moved ROUNDS WANTED   a thread that has run for more than its share goes to sleep beside a busy one, and is moved to
 *                         another CPU at once. Linux 6.12 and later keep it on the run queue for a moment, and then
 *                         account the move as the begin of a wait for a CPU. Ends after ROUNDS rounds, or after WANTED in
 *                         which the account shows that. A round in which it got a CPU only after the requested time, and
 *                         did not sleep, is not printed. Exit 77: there is one CPU
 *
 *                             round TID BEGIN END LATE CHARGED   it slept from BEGIN until END, LATE after the requested
 *                                                                time; CHARGED: on run queues meanwhile
 *
 *   newborn N MS          N children, one after the other, each of which exists for MS ms before it is put on a run
 *                         queue: before that, the kernel writes the child's pid into a page of its parent, which another
 *                         thread provides only after that time. Another child is never put on one. When it has existed for
 *                         longer than all others, "ready" is printed. The first line is "process PID"
 *
 *                             newborn PID QUEUED                 of a child that runs, so far
 *
 *   quota NAME THREADS MS NAP_US GROUP
 *                         enters the control group GROUP ("-": none), and computes in threads named NAMEi, bound to CPUs
 *                         in turn, for MS ms; after each ms of computing, a thread sleeps for NAP_US (0: never)
 *
 *                             quota NAMEi TID RAN QUEUED         so far
 */
#include "workload.h"

/* --- moved ---------------------------------------------------------------------------------------- */

enum { RUN_NS = 3500 * 1000, SLEEP_NS = 50 * NS_PER_MS, CHARGED_NS = 20 * NS_PER_MS };

struct stage {
	atomic_int asked, asleep, awake; /* the latest round */
	uint64_t begin, end, late;
	bool slept;
};

static void spin_until(clockid_t clock, uint64_t until)
{
	while (clock_ns(clock) < until)
		;
}

static void sleep_round(struct stage *stage, int cpu)
{
	struct timespec moment;
	uint64_t until;
	long before;

	bind_to(0, cpu);
	before = sleeps_so_far(); /* right before the sleep, this call would update the account of the thread's share */
	spin_until(CLOCK_MONOTONIC, clock_ns(CLOCK_MONOTONIC) + RUN_NS);
	stage->begin = clock_ns(CLOCK_MONOTONIC);
	until = stage->begin + SLEEP_NS;
	moment = timespec_of(until);
	atomic_store(&stage->asleep, atomic_load(&stage->asked));
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
	stage->end = clock_ns(CLOCK_MONOTONIC);
	stage->late = stage->end - until;
	stage->slept = sleeps_so_far() > before;
	atomic_store(&stage->awake, atomic_load(&stage->asked));
}

static pid_t start(const char *comm, struct stage *stage, int cpu)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, comm);
	bind_to(0, cpu);
	for (int round = 1;; round += stage != NULL) {
		while (stage && atomic_load(&stage->asked) < round)
			rest_us(100);
		if (stage)
			sleep_round(stage, cpu);
	}
}

/* Returns whether the thread slept and the kernel charged that. */
static int play(struct stage *stage, pid_t sleeper, int round, int cpu)
{
	unsigned long long ran;
	uint64_t before;

	atomic_store(&stage->asked, round);
	while (atomic_load(&stage->asleep) < round)
		;
	before = queued_of(sleeper, &ran);
	bind_to(sleeper, cpu);
	while (atomic_load(&stage->awake) < round)
		rest_us(1000);
	before = queued_of(sleeper, &ran) - before;
	if (!stage->slept)
		return 0;
	printf("round %d %lu %lu %lu %lu\n", sleeper, stage->begin, stage->end, stage->late, before);
	return before > CHARGED_NS && stage->late < CHARGED_NS / 2;
}

static void moved(char **argv)
{
	struct stage *stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int first = allowed_cpu(false), last = allowed_cpu(true), wanted = atoi(argv[1]);
	pid_t sleeper, burner;

	must(stage != MAP_FAILED, "mmap");
	if (first == last)
		exit(77);
	burner = start("moved_busy", NULL, first);
	sleeper = start("moved_asleep", stage, first);
	bind_to(0, last);
	for (int round = 1; round <= atoi(argv[0]) && wanted > 0; round++)
		wanted -= play(stage, sleeper, round, last);
	kill(burner, SIGKILL);
	kill(sleeper, SIGKILL);
	while (wait(NULL) > 0)
		;
}

/* --- newborn -------------------------------------------------------------------------------------- */

enum { OLDEST_MS = 600 };

static struct {
	int children, faults;
	uint64_t late;
	char *page;
} birth;

static void *provide_late(void *unused)
{
	for (int i = 0; i <= birth.children; i++) {
		await_fault(birth.faults);
		rest(i < birth.children ? birth.late : OLDEST_MS * NS_PER_MS);
		if (i < birth.children)
			provide_page(birth.faults, birth.page);
	}
	puts("ready");
	pause();
	return unused;
}

static void make_child(void)
{
	unsigned long long ran;
	pid_t child;

	must(!madvise(birth.page, PAGE, MADV_DONTNEED), "madvise");
	child = (pid_t)syscall(SYS_clone, CLONE_PARENT_SETTID | SIGCHLD, 0, birth.page, NULL, 0);
	must(child >= 0, "clone");
	if (!child) {
		printf("newborn %d %llu\n", getpid(), queued_of(getpid(), &ran));
		_exit(0);
	}
	must(waitpid(child, NULL, 0) == child, "waitpid");
}

static void newborn(char **argv)
{
	pthread_t provider;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("process %d\n", getpid());
	birth.children = atoi(argv[0]);
	birth.late = strtoul(argv[1], NULL, 10) * NS_PER_MS;
	birth.faults = faults_open();
	birth.page = missing_pages(birth.faults, PAGE);
	must(!pthread_create(&provider, NULL, provide_late, NULL), "pthread_create");
	for (;;)
		make_child();
}

/* --- quota ----------------------------------------------------------------------------------------- */

static struct {
	const char *name;
	uint64_t ns;
	unsigned long nap_us;
} plan;

static void *compute(void *number)
{
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + plan.ns;
	unsigned long long ran, queued;
	char comm[16];

	snprintf(comm, sizeof(comm), "%s%ld", plan.name, (long)number);
	prctl(PR_SET_NAME, comm);
	bind_to(0, (int)((long)number % sysconf(_SC_NPROCESSORS_ONLN)));
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		spin_until(CLOCK_THREAD_CPUTIME_ID, clock_ns(CLOCK_THREAD_CPUTIME_ID) + NS_PER_MS);
		if (plan.nap_us)
			rest_us(plan.nap_us);
	}
	queued = queued_of(gettid(), &ran);
	printf("quota %s %d %llu %llu\n", comm, gettid(), ran, queued);
	return NULL;
}

static void enter(const char *group)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	file = fopen(path, "we");
	must(file && fprintf(file, "%d", getpid()) > 0 && !fclose(file), path);
}

static void quota(char **argv)
{
	long count = strtol(argv[1], NULL, 10);
	pthread_t threads[64];

	plan.name = argv[0];
	plan.ns = strtoul(argv[2], NULL, 10) * NS_PER_MS;
	plan.nap_us = strtoul(argv[3], NULL, 10);
	must(count > 0 && count <= (long)COUNT(threads), "1 to 64 threads");
	if (strcmp(argv[4], "-") != 0)
		enter(argv[4]);
	for (long i = 0; i < count; i++)
		must(!pthread_create(&threads[i], NULL, compute, (void *)i), "pthread_create");
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct kind {
		const char *name;
		int arguments;
		void (*run)(char **argv);
	} kinds[] = {{"moved", 2, moved}, {"newborn", 2, newborn}, {"quota", 5, quota}};

	for (size_t i = 0; argc > 1 && i < COUNT(kinds); i++)
		if (!strcmp(argv[1], kinds[i].name) && argc == kinds[i].arguments + 2) {
			kinds[i].run(argv + 2);
			return 0;
		}
	fprintf(stderr, "usage: accounted KIND ARGUMENT...; the kinds are told in accounted.c\n");
	return 2;
}
