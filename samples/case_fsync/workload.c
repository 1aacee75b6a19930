/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * case_fsync FILE SECONDS: a ledger that syncs each entry, on a host whose CPUs are taken by a crowd that does not
 * wait for anything. The disk is fast: what the ledger waits for is somebody who waits for a CPU.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CROWD = 12, ENTRY = 512 };

static double now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static __attribute__((noinline)) uint64_t sort_keys(uint64_t seed)
{
	for (unsigned int i = 0; i < 10000; i++)
		seed = seed * 6364136223846793005U + 1442695040888963407U;
	return seed;
}

static __attribute__((noinline)) int rebuild_index(double until)
{
	volatile uint64_t sum = 0;

	while (now() < until)
		sum += sort_keys(sum);
	return 0;
}

static __attribute__((noinline)) int commit_entry(int file, const char *entry)
{
	if (write(file, entry, ENTRY) != ENTRY)
		return -1;
	return fsync(file);
}

static __attribute__((noinline)) int keep_ledger(const char *path, double until)
{
	char entry[ENTRY];
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	memset(entry, 'x', sizeof(entry));
	if (file < 0)
		return 1;
	while (now() < until)
		if (commit_entry(file, entry) < 0)
			return 1;
	return close(file) < 0;
}

int main(int argc, char **argv)
{
	double until;

	if (argc != 3)
		return 2;
	until = now() + atof(argv[2]);
	for (int i = 0; i < CROWD; i++) {
		if (fork())
			continue;
		prctl(PR_SET_NAME, "reindex");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(rebuild_index(until));
	}
	prctl(PR_SET_NAME, "ledger");
	if (keep_ledger(argv[1], until)) {
		perror(argv[1]);
		return 1;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
