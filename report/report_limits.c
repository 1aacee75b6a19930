/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_limits.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"

/* --- host memory --- */

enum { KIB = 1024 };

static FILE *open_in(const char *folder, const char *name)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);

	return length > 0 && (size_t)length < sizeof(path) ? fopen(path, "re") : NULL;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t machine_memory(const char *proc)
{
	_cleanup_fclose_ FILE *file = open_in(proc, "meminfo");
	unsigned long long kibibytes;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemTotal: %llu kB", &kibibytes) == 1)
			return kibibytes > UINT64_MAX / KIB ? UINT64_MAX : kibibytes * KIB;
	return UINT64_MAX;
}

/* "max" and anything that is not a number mean no limit. */
static uint64_t limit_of(const char *folder, const char *name)
{
	_cleanup_fclose_ FILE *file = open_in(folder, name);
	unsigned long long bytes;

	return file && fscanf(file, "%llu", &bytes) == 1 ? bytes : UINT64_MAX;
}

/* A limit applies to all groups below it. In a container, the path may be the one outside: then the root counts. */
static uint64_t group_memory(const char *root, const char *group, const char *name)
{
	uint64_t memory = limit_of(root, name);
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s%s", root, group);

	if (length < 0 || (size_t)length >= sizeof(path))
		return memory;
	for (char *slash; strlen(path) > strlen(root); *slash = '\0') {
		memory = least(memory, limit_of(path, name));
		slash = strrchr(path, '/');
	}
	return memory;
}

/* "0::/user.slice" of v2, "4:memory:/user.slice" of v1. If there are groups of v1, v2 is mounted below them. */
static uint64_t line_memory(const char *groups, const char *line)
{
	static const struct {
		const char *mount, *controllers, *limit;
	} kinds[] = {
		{"", "0::", "memory.max"},
		{"/unified", "0::", "memory.max"},
		{"/memory", ":memory:", "memory.limit_in_bytes"},
	};
	uint64_t memory = UINT64_MAX;
	char root[PATH_MAX];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *found = strstr(line, kinds[i].controllers);
		const char *colon = strchr(line, ':');
		int length = snprintf(root, sizeof(root), "%s%s", groups, kinds[i].mount);

		if (found && (found == line || found == colon) && length > 0 && (size_t)length < sizeof(root))
			memory = least(memory, group_memory(root, found + strlen(kinds[i].controllers),
							    kinds[i].limit));
	}
	return memory;
}

uint64_t host_memory(const char *proc, const char *groups)
{
	_cleanup_fclose_ FILE *file = open_in(proc, "self/cgroup");
	uint64_t memory = machine_memory(proc);
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		memory = least(memory, line_memory(groups, line));
	}
	return memory;
}

/* --- report limits --- */

enum {
	LAST_SECONDS = 5, /* between the signal and the kill */
	SHARE = 3,	  /* of the memory there is: readers of DWARF may take twice as much in sum (line_child.c) */
};
static const uint64_t USUAL_MEMORY = UINT64_C(2) << 30;

/* Defined by AddressSanitizer, whose shadow memory exceeds any limit; absent without it. */
extern void __asan_init(void) __attribute__((weak));

static int lower(int resource, rlim_t soft, rlim_t hard, const char *what)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return log_error(errno, "cannot read the limit of %s: %s", what, strerror(errno));
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < hard)
		hard = limit.rlim_max;
	if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < soft)
		soft = limit.rlim_cur;
	limit.rlim_max = hard;
	limit.rlim_cur = soft < hard ? soft : hard;
	if (setrlimit(resource, &limit) < 0)
		return log_error(errno, "cannot limit %s: %s", what, strerror(errno));
	return 0;
}

static void out_of_time(int signal_number)
{
	static const char text[] =
		"rwalker-report: error: the limit of CPU time was reached; --max-seconds raises it\n";

	(void)signal_number;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

int report_limits_set(uint64_t memory, int64_t cpu_seconds)
{
	int r = lower(RLIMIT_CORE, 0, 0, "core files");

	if (memory == UINT64_MAX) {
		const uint64_t share = host_memory("/proc", "/sys/fs/cgroup") / SHARE;

		memory = share < USUAL_MEMORY ? share : USUAL_MEMORY;
	}
	if (!r && memory && !__asan_init)
		r = lower(RLIMIT_AS, memory, memory, "memory");
	if (!r && cpu_seconds) {
		(void)signal(SIGXCPU, out_of_time);
		r = lower(RLIMIT_CPU, (rlim_t)cpu_seconds, (rlim_t)cpu_seconds + LAST_SECONDS, "CPU time");
	}
	return r;
}
