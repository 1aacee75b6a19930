/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Users whose processes' files a helper got stuck in. No more files are opened for them: a user
 * whose file server does not answer costs one helper, but not the names of anybody else. Root is
 * never among them. Fixed memory.
 */
#ifndef RWALKER_RECORD_PLACE_SILENT_USERS_H
#define RWALKER_RECORD_PLACE_SILENT_USERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SILENT_USERS = 16 };

struct silent_users {
	uid_t users[SILENT_USERS];
	uint32_t count;
};

/* Adds the user of that process. False: the user is root, not known or already there, or there are too many. */
bool silent_users_add(struct silent_users *silent, uint32_t tgid);
/* Asks the kernel only if there are such users. */
bool silent_users_has(const struct silent_users *silent, uint32_t tgid);

#endif
