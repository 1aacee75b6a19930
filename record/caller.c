/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/caller.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <unistd.h>

static bool number_from(const char *name, unsigned int *ret_number)
{
	const char *text = getenv(name);
	char *end;
	unsigned long value;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end || errno || value >= 0xffffffffu)
		return false;
	*ret_number = (unsigned int)value;
	return true;
}

void caller_get(struct caller *ret_caller)
{
	unsigned int uid, gid;

	*ret_caller = (struct caller){.uid = getuid(), .gid = getgid()};
	if (!geteuid() && number_from("SUDO_UID", &uid) && number_from("SUDO_GID", &gid) && uid)
		*ret_caller = (struct caller){uid, gid, true};
}

int caller_become(const struct caller *caller)
{
	if (!caller->sudo)
		return 0;
	if (setgroups(1, &caller->gid) || setresgid(caller->gid, caller->gid, caller->gid) ||
	    setresuid(caller->uid, caller->uid, caller->uid))
		return -errno;
	return 0;
}

/* setfsuid() cannot say that it failed: a second call tells what holds now. */
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
	/* Groups of root would still open doors that the user's own do not. */
	if (setgroups(1, &caller->gid))
		return -errno;
	return fs_ids_set(caller->uid, caller->gid);
}

int caller_fs_leave(const struct caller *caller)
{
	return caller->sudo ? fs_ids_set(geteuid(), getegid()) : 0;
}
