/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/host_memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

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
