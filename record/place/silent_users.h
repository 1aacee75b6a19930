/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Users in whose processes' files a helper got stuck. No more files are opened for these, so that
 * a user whose file server does not answer costs one helper, and loses names of nobody else. Root
 * is none of them. Fixed memory.
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

/* The user of that process, who was none before. False: it is root, not known, or there are too many. */
bool silent_users_add(struct silent_users *silent, uint32_t tgid);
/* Asks the kernel only if there are any. */
bool silent_users_has(const struct silent_users *silent, uint32_t tgid);

#endif
