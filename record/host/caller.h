/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who called us: with sudo, the user behind it, who owns the trace and runs the command. Users are
 * numbers: the static recorder has no user database. SUDO_UID and SUDO_GID are believed only if we
 * run as root.
 */
#ifndef RWALKER_RECORD_HOST_CALLER_H
#define RWALKER_RECORD_HOST_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CALLER_GROUPS = 256 };

struct caller {
	uid_t uid;
	gid_t gid;
	bool sudo; /* uid, gid and groups are those of the user behind sudo */
	gid_t groups[CALLER_GROUPS]; /* gid first; if sudo */
	size_t group_count;
};

/* To be called while we are root; see caller_groups(). */
void caller_get(struct caller *ret_caller);

/* The user to go on as without root: the caller with only the first group; without sudo, the user nobody. */
void caller_get_unprivileged(struct caller *ret_caller);

/* For a child that is about to exec: becomes the caller for good. 0, -errno. */
int caller_become(const struct caller *caller);

/* File system access as the caller, and back; for creating the output. 0, -errno. */
int caller_fs_enter(const struct caller *caller);
int caller_fs_leave(const struct caller *caller);

/*
 * The groups of the user behind sudo. Our own credentials do not have them: sudo gave us root's.
 * The kernel knows them best: the shell that ran sudo is one of our ancestors, and has the groups
 * that its login gave it, wherever these are kept. Without such an ancestor, they are the groups in
 * which /etc/group lists the user.
 */

/*
 * Returns the number of groups in ret_groups, at most `room`; those that do not fit are left out.
 * gid, the user's primary group, is the first of them. To be called while we are root: later we are
 * an ancestor of that user ourselves.
 */
size_t caller_groups(uid_t uid, gid_t gid, gid_t *ret_groups, size_t room);

#endif
