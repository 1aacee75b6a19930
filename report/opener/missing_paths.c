/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/missing_paths.h"

#include <string.h>

enum { PATHS_MAX = 1 << 16 };

int missing_paths_init(struct missing_paths *missing)
{
	return hash_map_init(&missing->paths);
}

void missing_paths_deinit(struct missing_paths *missing)
{
	hash_map_deinit(&missing->paths);
}

void missing_paths_add(struct missing_paths *missing, const char *path)
{
	if (missing->paths.count < PATHS_MAX)
		(void)hash_map_add(&missing->paths, path, strlen(path), 0, NULL);
}

bool missing_paths_has(const struct missing_paths *missing, const char *path)
{
	size_t length = 0;

	if (!missing->paths.count)
		return false;
	while (path[length]) {
		length += strspn(path + length, "/");
		length += strcspn(path + length, "/");
		if (hash_map_find(&missing->paths, path, length))
			return true;
	}
	return false;
}
