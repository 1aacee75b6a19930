/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whose rights a file is opened with. A helper that opens what an unprivileged process has named
 * first becomes that process's user for the file system: its fsuid, fsgid and groups, and no
 * effective capability. Whatever a check overlooks, the kernel then refuses what that user may not
 * read. Only the file system sees another user: to signals and ptrace the helper remains what it
 * was, so that the user cannot touch it.
 *
 * Ids are those of our own user namespace; root in a namespace of its own is an ordinary user here.
 */
#ifndef RWALKER_RECORD_HELPER_RIGHTS_H
#define RWALKER_RECORD_HELPER_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rights {
	bool own; /* the helper's own: nothing is changed */
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* owned; NULL: none */
	size_t group_count;
};

/*
 * The rights of a process, from "status" in its folder of /proc, which keeps referring to that
 * process. Those of its first thread count. 0; -ESRCH: it is gone; -E2BIG: more groups than are
 * read; -ENOMEM, -errno.
 */
int rights_of_process(int folder, struct rights *ret_rights);

/* The rights of a user about whom no more is known. */
struct rights rights_of_user(uid_t uid, gid_t gid);

/* The rights of the recorder's caller: the user behind sudo, else the helper's own, which read what root may read. */
void rights_of_caller(struct rights *ret_rights);

bool rights_equal(const struct rights *a, const struct rights *b);
void rights_deinit(struct rights *rights);

/* 0, or -errno: then nothing may be opened, but rights_leave() must still be called. */
int rights_enter(const struct rights *rights);
/* Returns to the helper's own rights, without groups. 0, or -errno: then the helper must end. */
int rights_leave(const struct rights *rights);

#endif
