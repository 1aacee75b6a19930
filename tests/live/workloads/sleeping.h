/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Shared by workloads whose threads sleep on known objects: they check their calls, rest, and wait
 * until another thread sleeps where it should. Define _GNU_SOURCE first.
 */
#ifndef TESTS_LIVE_SLEEPING_H
#define TESTS_LIVE_SLEEPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

static inline void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static inline void rest_us(long us)
{
	nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL); /* less than a second */
}

static inline unsigned long inode_of(int fd)
{
	struct stat status;

	must(!fstat(fd, &status), "fstat");
	return status.st_ino;
}

/* The first line of a file of that thread in /proc, by its tid there. */
static inline void proc_line(pid_t tid, const char *name, char *line, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	file = fopen(path, "r");
	must(file && fgets(line, (int)size, file), path);
	fclose(file);
}

/* The letter of the thread's state. */
static inline char state_of(pid_t tid)
{
	char line[256];

	proc_line(tid, "stat", line, sizeof(line));
	return strrchr(line, ')')[2];
}

/* The number of the system call in which it sleeps, and the call's first argument; -1 if it runs. */
static inline long call_of(pid_t tid, unsigned long *ret_first)
{
	char line[256];
	long call;

	proc_line(tid, "syscall", line, sizeof(line));
	return sscanf(line, "%ld %lx", &call, ret_first) == 2 ? call : -1;
}

/*
 * Whether the thread sleeps in a system call. False if it runs, if it sleeps in a page fault, or if
 * it sleeps on a futex of the barrier at which it meets others.
 */
static inline bool sleeps_in_call(pid_t tid, const void *barrier, size_t size)
{
	unsigned long first;
	long call = call_of(tid, &first);

	return call >= 0 && (call != SYS_futex || first - (unsigned long)barrier >= size);
}

static inline void await_call(pid_t tid, const void *barrier, size_t size)
{
	do
		rest_us(1000);
	while (!sleeps_in_call(tid, barrier, size));
}

#endif
