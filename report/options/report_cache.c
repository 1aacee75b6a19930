/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/options/report_cache.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Judges the folder or its nearest existing parent. */
static bool is_ours(const char *path)
{
	char folder[PATH_MAX];
	struct stat status;
	int length = snprintf(folder, sizeof(folder), "%s", path);

	if (length < 0 || (size_t)length >= sizeof(folder))
		return false;
	while (stat(folder, &status) < 0) {
		char *slash = strrchr(folder, '/');

		if (!slash || slash == folder)
			return false;
		*slash = '\0';
	}
	return status.st_uid == geteuid();
}

/* A variable is used only if it is an absolute path (XDG Base Directory Specification 0.8). */
static const char *folder_of(const char *variable)
{
	const char *value = getenv(variable);

	return value && value[0] == '/' ? value : NULL;
}

int report_cache_default(char *path, size_t room)
{
	const char *home = folder_of("HOME"), *cache = folder_of("XDG_CACHE_HOME");
	char text[PATH_MAX];
	int length;

	if ((home && !is_ours(home)) || (!home && !cache))
		return -ENOENT;
	length = cache ? snprintf(text, sizeof(text), "%s/rwalker/names.sqlite", cache) :
			 snprintf(text, sizeof(text), "%s/.cache/rwalker/names.sqlite", home);
	if (length < 0 || (size_t)length >= sizeof(text) || (size_t)length >= room || !is_ours(text))
		return -ENOENT;
	memcpy(path, text, (size_t)length + 1);
	return 0;
}
