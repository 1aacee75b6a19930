/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/container/container_match.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_PREFIX = 4 }; /* characters of an id that stand for all of it */

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

bool container_fits(const char *pattern, const char *id, const char *pod)
{
	size_t length = strlen(pattern);

	if (!*id)
		return false;
	return !fnmatch(pattern, id, 0) || !strcmp(pattern, pod) ||
	       (length >= LEAST_PREFIX && !strncmp(pattern, id, length));
}
