/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * calls [go] KIND ARGUMENT... : a known number of system calls, each from a call path of its own.
 * Tracepoints and kernel functions are counted against it.
 *
 *   plan ROUNDS FILE           a few hundred calls on each path, by two threads: "calls" on the
 *                              first CPU it may run on, and "calls-two" on the last
 *   hot COUNT                  getppid over and over, without a pause
 *   paced MS COUNT             getppid every MS ms, each reported individually
 *   direct FILE COUNT          reads COUNT pages past the page cache, one by one
 *
 * With "go" it first prints "ready" and waits for a line on its
 * input. Then it prints lines of "word key=value ...", times in ns, CLOCK_MONOTONIC:
 *
 *   ready tgid tid two                                  two: of the second thread, 0: there is none
 *   path comm tid tgid cpu call stack count run wall    stack: its functions, the caller first;
 *                                                       run: the thread's CPU time
 *   call begin end                                      for paced: right around each call
 *   end
 */
#include "waiters.h"

enum { NAP_NS = 100000 };

struct job {
	int null, file;
};

struct path {
	const char *stack, *call;
	void (*walk)(const struct job *job);
	uint64_t times; /* per round */
};

/* Two functions; the system call is in the inner one. */
#define CALL_PATH(name, arguments)                                     \
	FRAMED static void path_##name##_inner(const struct job *job)  \
	{                                                              \
		must(raw_call arguments >= 0, "path_" #name);          \
		(void)job;                                             \
	}                                                              \
	FRAMED static void path_##name##_outer(const struct job *job)  \
	{                                                              \
		path_##name##_inner(job);                              \
		__asm__ volatile("" : : "r"(__builtin_frame_address(0))); \
	}

static const struct timespec short_nap = {0, NAP_NS};

CALL_PATH(a, (SYS_write, job->null, (long)"a", 1, 0))
CALL_PATH(b, (SYS_write, job->null, (long)"bb", 2, 0))
CALL_PATH(c, (SYS_pwrite64, job->file, (long)"ccc", 3, 0))
CALL_PATH(d, (SYS_write, job->file, (long)"d", 1, 0))
CALL_PATH(e, (SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&short_nap, 0))
CALL_PATH(f, (SYS_getppid, 0, 0, 0, 0))
CALL_PATH(g, (SYS_write, job->null, (long)"g", 1, 0))

/* Opens in the inner function, closes in the outer one; also calls the inner function of another path. */
FRAMED static long path_open_inner(void)
{
	long fd = raw_call(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDONLY | O_CLOEXEC, 0);

	must(fd >= 0, "openat");
	return fd;
}

FRAMED static void path_open_outer(const struct job *job)
{
	(void)job;
	(void)raw_call(SYS_close, path_open_inner(), 0, 0, 0);
}

FRAMED static void path_other_outer(const struct job *job)
{
	path_b_inner(job);
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

#define PATH(name, call, times) {"path_" #name "_outer;path_" #name "_inner", call, path_##name##_outer, times}

static const struct path first_paths[] = {
	PATH(a, "write", 300),
	PATH(b, "write", 200),
	{"path_other_outer;path_b_inner", "write", path_other_outer, 110},
	PATH(c, "pwrite64", 90),
	PATH(d, "write", 50),
	PATH(e, "clock_nanosleep", 40),
	PATH(f, "getppid", 250),
	PATH(open, "openat", 120),
	{0},
};

static const struct path second_paths[] = {
	PATH(g, "write", 130),
	PATH(b, "write", 70),
	PATH(open, "openat", 60),
	{0},
};

/* --- what each thread does and reports ----------------------------------------------------------- */

struct worker {
	const char *comm;
	const struct path *paths;
	const struct job *job;
	uint64_t rounds;
	bool pinned, last; /* to the last CPU it may run on, not to the first */
	pthread_barrier_t *start;
	pid_t tid;
	int cpu; /* -1: any */
	uint64_t run, wall;
};

static int pin(bool last)
{
	int cpu = allowed_cpu(last);

	bind_to(0, cpu);
	return cpu;
}

static void worker_run(struct worker *worker)
{
	uint64_t run = clock_ns(CLOCK_THREAD_CPUTIME_ID), wall = clock_ns(CLOCK_MONOTONIC);

	for (uint64_t round = 0; round < worker->rounds; round++)
		for (const struct path *path = worker->paths; path->stack; path++)
			for (uint64_t i = 0; i < path->times; i++)
				path->walk(worker->job);
	worker->run = clock_ns(CLOCK_THREAD_CPUTIME_ID) - run;
	worker->wall = clock_ns(CLOCK_MONOTONIC) - wall;
}

/* The workers meet here before they know their own data, and once more before they begin. */
static void *worker_main(void *arg)
{
	struct worker *worker = arg;

	worker->tid = gettid();
	worker->cpu = worker->pinned ? pin(worker->last) : -1;
	prctl(PR_SET_NAME, worker->comm);
	pthread_barrier_wait(worker->start);
	pthread_barrier_wait(worker->start);
	worker_run(worker);
	return NULL;
}

static void worker_print(const struct worker *worker)
{
	for (const struct path *path = worker->paths; path->stack; path++)
		printf("path comm=%s tid=%d tgid=%d cpu=%d call=%s stack=%s count=%lu run=%lu "
		       "wall=%lu\n", worker->comm, worker->tid,
		       getpid(), worker->cpu, path->call, path->stack, path->times * worker->rounds,
		       worker->run, worker->wall);
}

static void ready(bool go, pid_t two)
{
	char byte = 0;

	if (!go)
		return;
	printf("ready tgid=%d tid=%d two=%d\n", getpid(), gettid(), two);
	fflush(stdout);
	while (byte != '\n')
		must(read(STDIN_FILENO, &byte, 1) == 1, "go");
}

/* The first one is the calling thread. */
static void workers_run(struct worker *workers, unsigned int count, bool go)
{
	pthread_barrier_t start;
	pthread_t thread = 0;

	pthread_barrier_init(&start, NULL, count);
	for (unsigned int i = 0; i < count; i++)
		workers[i].start = &start;
	must(count < 2 || !pthread_create(&thread, NULL, worker_main, &workers[1]), "pthread_create");
	workers[0].tid = gettid();
	workers[0].cpu = workers[0].pinned ? pin(workers[0].last) : -1;
	pthread_barrier_wait(&start);
	ready(go, count > 1 ? workers[1].tid : 0);
	pthread_barrier_wait(&start);
	worker_run(&workers[0]);
	if (thread)
		pthread_join(thread, NULL);
	for (unsigned int i = 0; i < count; i++)
		worker_print(&workers[i]);
}

static void plan(char **argv, bool go)
{
	const struct job job = {
		.null = open("/dev/null", O_WRONLY | O_CLOEXEC),
		.file = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
	};
	uint64_t rounds = strtoull(argv[0], NULL, 10);
	struct worker workers[] = {
		{.comm = "calls", .paths = first_paths, .job = &job, .rounds = rounds, .pinned = true},
		{.comm = "calls-two", .paths = second_paths, .job = &job, .rounds = rounds,
		 .pinned = true, .last = true},
	};

	must(job.null >= 0 && job.file >= 0, argv[1]);
	workers_run(workers, 2, go);
}

/* --- one path by itself --------------------------------------------------------------------------- */

/* Calls it once; it makes `count` calls. */
static void run_alone(const char *stack, const char *call, uint64_t count, bool go, void (*walk)(uint64_t count, void *with), void *with)
{
	const struct path told[] = {{.stack = stack, .call = call, .times = count}, {0}};
	struct worker self = {.comm = "calls", .paths = told, .rounds = 1, .tid = gettid(), .cpu = -1};

	ready(go, 0);
	self.wall = clock_ns(CLOCK_MONOTONIC);
	self.run = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	walk(count, with);
	self.run = clock_ns(CLOCK_THREAD_CPUTIME_ID) - self.run;
	self.wall = clock_ns(CLOCK_MONOTONIC) - self.wall;
	worker_print(&self);
}

FRAMED static void path_hot_inner(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		(void)raw_call(SYS_getppid, 0, 0, 0, 0);
}

FRAMED static void path_hot_outer(uint64_t count, void *with)
{
	path_hot_inner(count);
	__asm__ volatile("" : : "r"(with), "r"(__builtin_frame_address(0)));
}

static void hot(char **argv, bool go)
{
	run_alone("path_hot_outer;path_hot_inner", "getppid", strtoull(argv[0], NULL, 10), go, path_hot_outer, NULL);
}

struct pacing {
	uint64_t step;
	struct bracket *brackets;
};

FRAMED static void path_paced_inner(struct bracket *bracket)
{
	bracket->begin = clock_ns(CLOCK_MONOTONIC);
	(void)raw_call(SYS_getppid, 0, 0, 0, 0);
	bracket->end = clock_ns(CLOCK_MONOTONIC);
}

FRAMED static void path_paced_outer(uint64_t count, void *with)
{
	const struct pacing *pacing = with;
	uint64_t due = clock_ns(CLOCK_MONOTONIC);

	for (uint64_t i = 0; i < count; i++, due += pacing->step) {
		struct timespec moment = timespec_of(due);

		(void)raw_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&moment, 0);
		path_paced_inner(&pacing->brackets[i]);
	}
}

static void paced(char **argv, bool go)
{
	uint64_t count = strtoull(argv[1], NULL, 10);
	struct pacing pacing = {strtoull(argv[0], NULL, 10) * NS_PER_MS, calloc(count + 1, sizeof(struct bracket))};

	must(pacing.brackets != NULL, "calloc");
	run_alone("path_paced_outer;path_paced_inner", "getppid", count, go, path_paced_outer, &pacing);
	for (uint64_t i = 0; i < count; i++)
		printf("call begin=%lu end=%lu\n", pacing.brackets[i].begin, pacing.brackets[i].end);
}

FRAMED static void path_direct_inner(int fd, void *page, uint64_t number)
{
	must(raw_call(SYS_pread64, fd, (long)page, PAGE, (long)(number * PAGE)) == PAGE, "pread64");
}

FRAMED static void path_direct_outer(uint64_t count, void *with)
{
	static _Alignas(PAGE) char page[PAGE];

	for (uint64_t i = 0; i < count; i++)
		path_direct_inner(*(int *)with, page, i);
}

static void direct(char **argv, bool go)
{
	int fd = open(argv[0], O_RDONLY | O_DIRECT | O_CLOEXEC);

	must(fd >= 0, argv[0]);
	run_alone("path_direct_outer;path_direct_inner", "pread64", strtoull(argv[1], NULL, 10), go, path_direct_outer, &fd);
}

static const struct kind {
	const char *name;
	int arguments;
	void (*run)(char **argv, bool go);
} kinds[] = {
	{"plan", 2, plan},
	{"hot", 1, hot},
	{"paced", 2, paced},
	{"direct", 2, direct},
};

int main(int argc, char **argv)
{
	bool go = argc > 1 && !strcmp(argv[1], "go");

	argv += 1 + go;
	argc -= 1 + go;
	for (size_t i = 0; argc > 0 && i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].name, argv[0]) || argc - 1 != kinds[i].arguments)
			continue;
		kinds[i].run(argv + 1, go);
		printf("end\n");
		return 0;
	}
	fprintf(stderr, "calls: see what it is asked for in calls.c\n");
	return 2;
}
