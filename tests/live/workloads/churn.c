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

struct churn {
	char dir[PATH_MAX - 32];
	char fruit[3][PATH_MAX];
	char milliseconds[16];
};

static const char *const fruits[3] = { "churn_apple", "churn_berry", "churn_cherry" };

BURNER(burn_forked)
BURNER(burn_grandchild)

static int spawn_fruit(struct churn *churn, int which)
{
	char *argv[] = { churn->fruit[which], churn->milliseconds, NULL };
	pid_t pid;

	return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
}

static int spawn_chain(struct churn *churn)
{
	char *argv[] = { churn->fruit[0], churn->milliseconds, churn->fruit[1],
			 churn->fruit[2], NULL };
	pid_t pid;

	return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
}

static int fork_named(struct churn *churn)
{
	pid_t pid = fork();

	if (pid)
		return pid < 0;
	prctl(PR_SET_NAME, "churn_forked");
	burn_forked(strtoull(churn->milliseconds, NULL, 10) * NS_PER_MS);
	_exit(0);
}

/* Child, grandchild and great-grandchild: the last burns, the others wait for theirs. */
static int fork_chain(struct churn *churn)
{
	pid_t pid = fork();
	int status;

	if (pid)
		return pid < 0;
	for (int generation = 1; generation < 3; generation++) {
		pid = fork();
		if (pid)
			_exit(pid < 0 || waitpid(pid, &status, 0) < 0 || status);
	}
	prctl(PR_SET_NAME, "churn_grand");
	burn_grandchild(strtoull(churn->milliseconds, NULL, 10) * NS_PER_MS);
	_exit(0);
}

static int start_one(struct churn *churn, int index)
{
	int kind = index % KIND_COUNT;

	if (kind < 3)
		return spawn_fruit(churn, kind);
	if (kind == 3)
		return fork_named(churn);
	return kind == 4 ? spawn_chain(churn) : fork_chain(churn);
}

static int reap_one(void)
{
	int status;

	if (wait(&status) < 0)
		return 1;
	return status != 0;
}

static int run_all(struct churn *churn, int count)
{
	int running = 0, failed = 0;

	for (int i = 0; i < count; i++) {
		if (running == PARALLEL) {
			failed |= reap_one();
			running--;
		}
		failed |= start_one(churn, i);
		running++;
	}
	while (running--)
		failed |= reap_one();
	return failed;
}

static void truth_print(const struct churn *churn, int count)
{
	struct rusage use;

	for (int i = 0; i < 3; i++)
		printf("expect %s burn_%s %s\n", fruits[i], fruits[i] + 6, churn->fruit[i]);
	printf("expect churn_forked burn_forked %s/churn\n", churn->dir);
	printf("expect churn_grand burn_grandchild %s/churn\n", churn->dir);
	getrusage(RUSAGE_CHILDREN, &use);
	printf("processes %d\ncpu_ns %llu\n", count,
	       (unsigned long long)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * NS_PER_S +
	       (unsigned long long)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000);
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
	struct churn churn;
	int count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc == 3 && !strcmp(argv[1], "renames"))
		return rename_often(strtol(argv[2], NULL, 10));
	if (n < 0)
		return 1;
	self[n] = '\0';
	snprintf(churn.dir, sizeof(churn.dir), "%s", dirname(self));
	for (int i = 0; i < 3; i++)
		snprintf(churn.fruit[i], sizeof(churn.fruit[i]), "%s/%s", churn.dir, fruits[i]);
	snprintf(churn.milliseconds, sizeof(churn.milliseconds), "%s", argc > 2 ? argv[2] : "3");
	if (run_all(&churn, count))
		return 1;
	truth_print(&churn, count);
	return 0;
}
