/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who the reporter's processes become if root starts it. Whoever made a trace must not reach
 * anything of root's, so none of them runs as the owner of a trace: a pager that does could be
 * debugged by that user, and has root's terminal.
 *
 * With sudo all processes become the user behind it. Without, the parent stays root, but without
 * capabilities, to write where root may write; the others become a user that nobody else is: a
 * number that no system hands out, or nobody where only few numbers exist. Files are opened, and
 * servers asked for more of them, by root without capabilities if all traces are root's, else by
 * that user, too.
 */
#ifndef RWALKER_REPORT_SANDBOX_USER_H
#define RWALKER_REPORT_SANDBOX_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define USER_PRIVATE 0x80000000u /* the first of the numbers that no system hands out */

struct user {
	bool other;   /* else this process stays what it is */
	bool unknown; /* no system has this user, so none is asked for groups */
	uid_t uid;    /* 0: root without capabilities */
	gid_t gid;
};

struct reader_users {
	struct user parent, opener, worker; /* opener: also who asks servers; worker: also the pager */
};

/* For root; else nobody changes. `fds` are the traces, of which some may be -1. 0, or -errno after reporting why. */
int users_choose(const int *fds, size_t count, struct reader_users *ret_users);

/* Becomes that user for good, with that user's groups and home. 0, or -errno after reporting why. */
int user_become(const struct user *user);

/* The parent, once all others are forked: it may still end them. 0, or -errno after reporting why. */
int user_become_parent(const struct user *user);

#endif
