/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The groups of the user behind sudo. Our own credentials do not have them: sudo gave us root's.
 * The kernel knows them best: the shell that ran sudo is one of our ancestors, and has the groups
 * that its login gave it, wherever these are kept. Without such an ancestor, they are the groups in
 * which /etc/group lists the user.
 */
#ifndef RWALKER_RECORD_MACHINE_CALLER_GROUPS_H
#define RWALKER_RECORD_MACHINE_CALLER_GROUPS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Returns the number of groups in ret_groups, at most `room`; those that do not fit are left out.
 * gid, the user's primary group, is the first of them. To be called while we are root: later we are
 * an ancestor of that user ourselves.
 */
size_t caller_groups(uid_t uid, gid_t gid, gid_t *ret_groups, size_t room);

#endif
