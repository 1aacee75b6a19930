/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/silent_users.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

/* A process's directory in /proc belongs to its effective user, or to root if it is not dumpable. 0: root, or gone. */
static uid_t user_of(uint32_t tgid)
{
	struct stat status;
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32, tgid);
	return tgid && !stat(path, &status) ? status.st_uid : 0;
}

static bool has_user(const struct silent_users *silent, uid_t user)
{
	for (uint32_t i = 0; i < silent->count; i++)
		if (silent->users[i] == user)
			return true;
	return false;
}

bool silent_users_add(struct silent_users *silent, uint32_t tgid)
{
	uid_t user = user_of(tgid);

	if (!user || silent->count == SILENT_USERS || has_user(silent, user))
		return false;
	silent->users[silent->count++] = user;
	return true;
}

bool silent_users_has(const struct silent_users *silent, uint32_t tgid)
{
	return silent->count && has_user(silent, user_of(tgid));
}
