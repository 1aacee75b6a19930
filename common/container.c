/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/container.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_PREFIX = 4 }; /* characters of an id that stand for all of it */

/* "ID", "docker-ID.scope", "crio-ID", "system.slice:docker:ID"; not "crio-conmon-ID.scope". */
static bool find_id(const char *name, size_t length, char *ret_id)
{
	static const char scope[] = ".scope", watcher[] = "conmon";
	const size_t suffix = sizeof(scope) - 1;
	size_t head;

	if (length > suffix && !memcmp(name + length - suffix, scope, suffix))
		length -= suffix;
	if (length < CONTAINER_ID || strspn(name + length - CONTAINER_ID, "0123456789abcdef") < CONTAINER_ID)
		return false;
	head = length - CONTAINER_ID;
	if (head && ((name[head - 1] != '-' && name[head - 1] != ':') ||
		     memmem(name, head, watcher, sizeof(watcher) - 1)))
		return false;
	memcpy(ret_id, name + head, CONTAINER_ID);
	ret_id[CONTAINER_ID] = '\0';
	return true;
}

bool container_find(const char *path, char ret_id[static CONTAINER_ID + 1])
{
	bool found = false;

	for (size_t length; *path; path += length) {
		path += strspn(path, "/");
		length = strcspn(path, "/");
		found |= find_id(path, length, ret_id);
	}
	return found;
}

bool container_fits(const char *pattern, const char *id)
{
	size_t length = strlen(pattern);

	return *id && (!fnmatch(pattern, id, 0) || (length >= LEAST_PREFIX && !strncmp(pattern, id, length)));
}

/* --- control groups --- */

/* What follows the usual mount point, if the pattern begins with it. */
static const char *without_mount(const char *pattern)
{
	static const char mount[] = "/sys/fs/cgroup";
	const char *rest = pattern + sizeof(mount) - 1;

	return !strncmp(pattern, mount, sizeof(mount) - 1) && (!*rest || *rest == '/') ? rest : pattern;
}

bool cgroup_path_fits(const char *pattern, const char *path)
{
	char part[PATH_MAX];
	const char *from = path;

	pattern = without_mount(pattern);
	if (!pattern[strspn(pattern, "/")])
		return *path == '/';
	for (const char *at = path + strspn(path, "/"); *at; at += strspn(at, "/")) {
		const char *begin = strchr(pattern, '/') ? from : at;

		at += strcspn(at, "/");
		(void)snprintf(part, sizeof(part), "%.*s", (int)(at - begin), begin);
		if (!fnmatch(pattern, part, FNM_PATHNAME))
			return true;
	}
	return false;
}
