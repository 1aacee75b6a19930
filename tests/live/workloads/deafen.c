/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * deafen PID pause|disable FIRST COUNT: makes COUNT of that process's rings of perf records, from
 * the FIRST (0) on in the order of their descriptors, stop receiving records: their output is
 * paused, or their event is disabled. Prints how many were stopped, and the time of CLOCK_MONOTONIC
 * in ns. Exit code 1: there were fewer.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FD = 4096 };

/* Only an event with a ring can be paused: those that count or call a program have none. */
static int deafen(int fd, int disable)
{
	if (ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1) < 0)
		return 0;
	if (disable && (ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0) < 0 || ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) < 0)) {
		perror("deafen");
		exit(2);
	}
	return 1;
}

/* Undoes the pause: to find the FIRST, all before it were tried. */
static void leave(int fd)
{
	(void)ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
}

static int is_perf_event(const char *pid, int fd)
{
	char path[64], name[64] = "";

	(void)snprintf(path, sizeof(path), "/proc/%s/fd/%d", pid, fd);
	return readlink(path, name, sizeof(name) - 1) > 0 && strstr(name, "perf_event");
}

int main(int argc, char **argv)
{
	int pidfd = argc == 5 ? (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0) : -1;
	int first = argc == 5 ? atoi(argv[3]) : 0, wanted = argc == 5 ? atoi(argv[4]) : 0, seen = 0, done = 0;
	struct timespec now;

	if (pidfd < 0) {
		(void)fprintf(stderr, "usage: deafen PID pause|disable FIRST COUNT\n");
		return 2;
	}
	for (int number = 0; number < MAX_FD && done < wanted; number++) {
		int fd = is_perf_event(argv[1], number) ? (int)syscall(SYS_pidfd_getfd, pidfd, number, 0) : -1;

		if (fd < 0)
			continue;
		if (seen < first) {
			seen += deafen(fd, 0);
			leave(fd);
		} else {
			done += deafen(fd, !strcmp(argv[2], "disable"));
		}
		(void)close(fd);
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%d %lld\n", done, (long long)now.tv_sec * 1000000000 + now.tv_nsec);
	return done < wanted;
}
