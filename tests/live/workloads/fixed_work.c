/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fixed_work LOAD UNITS: a fixed amount of work for the benchmark, or, with 0 units,
 * endless work. Prints the cost of the work itself, descendants included:
 *
 *     cpu_ns NS          user + system time
 *     wall_ns NS
 *
 *   cpu     one thread per CPU walks call trees of six functions, 5 to 12 deep
 *   fork    posix_spawn of true(1), two at a time
 *   mixed   a call tree thread, a pipe ping-pong between two processes, reads and
 *           path lookups, and posix_spawn, all at once
 */
#include "workload.h"

#include <spawn.h>

extern char **environ;

enum { FANOUT = 6, LEAF_STEPS = 4000 };

struct worker {
	pthread_t thread;
	unsigned int units;	/* 0: no end */
	uint64_t seed;
};

/* --- call trees ------------------------------------------------------------------------ */

static uint64_t descend(uint64_t path, unsigned int depth);

/* Six functions that differ only in name; each adds a frame. */
#define TREE_FUNCTION(name)                                             \
	uint64_t name(uint64_t path, unsigned int depth)                \
	{                                                               \
		uint64_t x = path | 1;                                  \
                                                                        \
		for (int i = 0; i < LEAF_STEPS; i++)                    \
			x = x * 6364136223846793005ull + 1442695040888963407ull; \
		__asm__ volatile("" : "+r"(x));                         \
		return descend(path / FANOUT, depth) + x;               \
	}
TREE_FUNCTION(tree_a)
TREE_FUNCTION(tree_b)
TREE_FUNCTION(tree_c)
TREE_FUNCTION(tree_d)
TREE_FUNCTION(tree_e)
TREE_FUNCTION(tree_f)

static uint64_t descend(uint64_t path, unsigned int depth)
{
	static uint64_t (*const next[FANOUT])(uint64_t, unsigned int) = {
		tree_a, tree_b, tree_c, tree_d, tree_e, tree_f,
	};

	return depth ? next[path % FANOUT](path, depth - 1) : 0;
}

/* A few hundred different paths, all equally often. */
static void tree_unit(uint64_t *seed)
{
	for (int i = 0; i < 256; i++) {
		*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
		descend((*seed >> 33) % 400 * 2654435761u, 4 + (unsigned int)(*seed >> 61) + 1);
	}
}

static void *tree_thread(void *arg)
{
	struct worker *worker = arg;

	for (unsigned int i = 0; worker->units == 0 || i < worker->units; i++)
		tree_unit(&worker->seed);
	return NULL;
}

/* --- processes, pipes, files ------------------------------------------------------------- */

static void spawn_units(unsigned int units)
{
	char *argv[] = { "true", NULL };
	pid_t pid;

	for (unsigned int i = 0; units == 0 || i < units * 8; i++) {
		if (i >= 2)
			wait(NULL);
		must(!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ), "true");
	}
	while (wait(NULL) > 0)
		;
}

/* Two processes that hand on a byte; one begins. */
static void pipe_units(unsigned int units)
{
	int there[2], back[2], in, out;
	char c = 'x';

	must(!pipe(there) && !pipe(back), "pipe");
	if (fork()) {
		in = back[0];
		out = there[1];
		must(write(out, &c, 1) == 1, "write");
	} else {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		in = there[0];
		out = back[1];
	}
	for (unsigned int i = 0; units == 0 || i < units * 400; i++)
		if (read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
			break;
	if (in == there[0])
		_exit(0);
	close(there[1]);
	wait(NULL);
}

static void file_units(unsigned int units)
{
	static char buffer[65536];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct stat st;

	for (unsigned int i = 0; units == 0 || i < units; i++)
		for (int j = 0; j < 256; j++)
			must(read(fd, buffer, sizeof(buffer)) >= 0 && !stat("/usr/bin/../lib", &st), "file");
}

/* --- loads ------------------------------------------------------------------------------- */

static void load_cpu(unsigned int units)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	struct worker workers[64];

	count = count > 64 ? 64 : count;
	for (long i = 0; i < count; i++) {
		workers[i] = (struct worker){ .units = units, .seed = (uint64_t)i + 1 };
		must(!pthread_create(&workers[i].thread, NULL, tree_thread, &workers[i]), "pthread_create");
	}
	for (long i = 0; i < count; i++)
		pthread_join(workers[i].thread, NULL);
}

static void tree_units(unsigned int units)
{
	struct worker worker = { .units = units, .seed = 7 };

	tree_thread(&worker);
}

static void load_mixed(unsigned int units)
{
	static void (*const parts[])(unsigned int) = {
		tree_units, spawn_units, pipe_units, file_units,
	};

	for (size_t i = 0; i < COUNT(parts); i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, 9);
			parts[i](units);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static const struct load {
	const char *name;
	void (*run)(unsigned int);
} loads[] = {
	{ "cpu", load_cpu }, { "fork", spawn_units }, { "mixed", load_mixed },
};

static uint64_t used_ns(int who)
{
	struct rusage use;

	getrusage(who, &use);
	return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
}

int main(int argc, char **argv)
{
	unsigned int units = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 1;
	uint64_t from = clock_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; argc > 1 && i < COUNT(loads); i++) {
		if (strcmp(argv[1], loads[i].name) != 0)
			continue;
		loads[i].run(units);
		printf("cpu_ns %llu\nwall_ns %llu\n",
		       (unsigned long long)(used_ns(RUSAGE_SELF) + used_ns(RUSAGE_CHILDREN)),
		       (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - from));
		return 0;
	}
	return 2;
}
