/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * churn N [MS]: N short-lived processes, MS milliseconds of CPU each, two at a time.
 *
 * Six kinds take turns: the three fruit programs started by posix_spawn, a fork
 * that names itself and burns here, an exec chain apple > berry > cherry, and a fork
 * chain of three generations. Prints what may be seen as
 *
 *     expect COMM FUNCTION MODULE    FUNCTION runs only under COMM, in MODULE
 *     processes N
 *     cpu_ns NS                      user + system time of all children
 *
 * churn renames N: renames itself N times, and forks at every 64th time: the quickest way to fill rings of perf records.
 */
#include "workload.h"

#include <libgen.h>
#include <spawn.h>

extern char **environ;

enum { PARALLEL = 2, KIND_COUNT = 6 };

static const char *const fruits[3] = {"churn_apple", "churn_berry", "churn_cherry"};
static char paths[3][PATH_MAX], *milliseconds = "3";

BURNER(burn_forked)
BURNER(burn_grandchild)

static void spawn(char *path, char *next, char *last)
{
	char *argv[] = {path, milliseconds, next, last, NULL};
	pid_t pid;

	must(!posix_spawn(&pid, path, NULL, NULL, argv, environ), path);
}

static _Noreturn void burn_as(const char *comm, void (*burn)(uint64_t))
{
	prctl(PR_SET_NAME, comm);
	burn(strtoull(milliseconds, NULL, 10) * NS_PER_MS);
	_exit(0);
}

/* Child, grandchild and great-grandchild: the last burns, the others wait for theirs. */
static void fork_chain(void)
{
	for (int generation = 0; generation < 3; generation++) {
		pid_t pid = fork();
		int status;

		if (pid && !generation)
			return;
		if (pid)
			_exit(pid < 0 || waitpid(pid, &status, 0) < 0 || status);
	}
	burn_as("churn_grand", burn_grandchild);
}

static void start_one(int kind)
{
	if (kind < 3)
		spawn(paths[kind], NULL, NULL);
	else if (kind == 4)
		spawn(paths[0], paths[1], paths[2]);
	else if (kind == 5)
		fork_chain();
	else if (fork() == 0)
		burn_as("churn_forked", burn_forked);
}

static void reap(int count)
{
	int status;

	while (count--)
		must(wait(&status) > 0 && !status, "a child");
}

static int rename_often(long count)
{
	char name[32]; /* the kernel uses 15 */

	for (long i = 1; i <= count; i++) {
		(void)snprintf(name, sizeof(name), "r%ld", i);
		(void)prctl(PR_SET_NAME, name);
		if (i % 64)
			continue;
		if (fork() == 0)
			_exit(0);
		(void)wait(NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
	struct rusage use;
	char self[PATH_MAX] = "", *folder;

	if (argc == 3 && !strcmp(argv[1], "renames"))
		return rename_often(strtol(argv[2], NULL, 10));
	must(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0, "/proc/self/exe");
	folder = dirname(self);
	milliseconds = argc > 2 ? argv[2] : milliseconds;
	for (int i = 0; i < 3; i++)
		must(snprintf(paths[i], PATH_MAX, "%s/%s", folder, fruits[i]) < PATH_MAX, "path");
	for (int i = 0; i < count; i++) {
		reap(i >= PARALLEL);
		start_one(i % KIND_COUNT);
	}
	reap(count < PARALLEL ? count : PARALLEL);
	for (int i = 0; i < 3; i++)
		printf("expect %s burn_%s %s\n", fruits[i], fruits[i] + 6, paths[i]);
	printf("expect churn_forked burn_forked %s/churn\n", folder);
	printf("expect churn_grand burn_grandchild %s/churn\n", folder);
	getrusage(RUSAGE_CHILDREN, &use);
	printf("processes %d\ncpu_ns %llu\n", count, (unsigned long long)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * NS_PER_S +
	       (unsigned long long)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000);
	return 0;
}
