/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/caller.h"

#include <errno.h>
#include <grp.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "common/sudo_user.h"
#include "record/machine/caller_groups.h"

enum { NOBODY = 65534 };

void caller_get(struct caller *ret_caller)
{
	*ret_caller = (struct caller){.uid = getuid(), .gid = getgid()};
	ret_caller->sudo = sudo_user(&ret_caller->uid, &ret_caller->gid);
	if (ret_caller->sudo)
		ret_caller->group_count =
			caller_groups(ret_caller->uid, ret_caller->gid, ret_caller->groups, CALLER_GROUPS);
}

void caller_get_unprivileged(struct caller *ret_caller)
{
	caller_get(ret_caller);
	if (!ret_caller->sudo)
		*ret_caller = (struct caller){.uid = NOBODY, .gid = NOBODY, .sudo = true};
	ret_caller->groups[0] = ret_caller->gid;
	ret_caller->group_count = 1;
}

int caller_become(const struct caller *caller)
{
	if (!caller->sudo)
		return 0;
	if (setgroups(caller->group_count, caller->groups) || setresgid(caller->gid, caller->gid, caller->gid) ||
	    setresuid(caller->uid, caller->uid, caller->uid))
		return -errno;
	return 0;
}

/* setfsuid() cannot report failure: a second call shows the ids now in effect. */
static int fs_ids_set(uid_t uid, gid_t gid)
{
	(void)setfsgid(gid);
	(void)setfsuid(uid);
	return (gid_t)setfsgid((gid_t)-1) == gid && (uid_t)setfsuid((uid_t)-1) == uid ? 0 : -EPERM;
}

int caller_fs_enter(const struct caller *caller)
{
	if (!caller->sudo)
		return 0;
	/* Root's groups would grant access that the user's own do not. */
	if (setgroups(caller->group_count, caller->groups))
		return -errno;
	return fs_ids_set(caller->uid, caller->gid);
}

int caller_fs_leave(const struct caller *caller)
{
	return caller->sudo ? fs_ids_set(geteuid(), getegid()) : 0;
}
