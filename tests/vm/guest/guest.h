/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Shared by the programs of the test guest: the clock, and the line in which a program reports its
 * own truth before it begins to wait:
 *
 *     truth NAME TID STATE BEGIN-NS
 *
 * NAME is the comm, STATE the letter that /proc must show, BEGIN-NS CLOCK_MONOTONIC just before the
 * blocking call. The line is written with one write(2), so that many programs can share a file.
 */
#ifndef TESTS_VM_GUEST_H
#define TESTS_VM_GUEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline _Noreturn void die(const char *what)
{
	fprintf(stderr, "guest: '%s': %s\n", what, strerror(errno));
	exit(1);
}

static inline void tell_truth(const char *name, char state)
{
	char line[128];
	int len;

	prctl(PR_SET_NAME, name);
	len = snprintf(line, sizeof(line), "truth %s %ld %c %llu\n", name, (long)syscall(SYS_gettid), state,
		       (unsigned long long)now_ns());
	if (write(STDOUT_FILENO, line, (size_t)len) != len)
		die("stdout");
}

#endif
