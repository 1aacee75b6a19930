/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who called us: with sudo, the user behind it, whose file the trace becomes and as whom a command runs. By number: the
 * static recorder has no user database. SUDO_UID and SUDO_GID are believed only where we run as root.
 */
#ifndef RWALKER_RECORD_CALLER_H
#define RWALKER_RECORD_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

struct caller {
	uid_t uid;
	gid_t gid;
	bool sudo; /* uid and gid are those of the user behind sudo */
};

void caller_get(struct caller *ret_caller);

/* For a child that is about to exec: becomes the caller for good. 0, -errno. */
int caller_become(const struct caller *caller);

/* File system access as the caller, and back; for creating the output. 0, -errno. */
int caller_fs_enter(const struct caller *caller);
int caller_fs_leave(const struct caller *caller);

#endif
