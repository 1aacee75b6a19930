/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/caller.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/process.h"

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

/* --- groups --- */

struct groups {
	gid_t *items;
	size_t count, room;
};

static void add(struct groups *groups, gid_t group)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->items[i] == group)
			return;
	if (groups->count < groups->room)
		groups->items[groups->count++] = group;
}

/* --- the ancestor ------------------------------------------------------------------------------- */

/* "Groups:\t4 24 27 \n" */
static void add_listed(struct groups *groups, const char *text)
{
	char *end;

	for (unsigned long group = strtoul(text, &end, 10); end != text; group = strtoul(text, &end, 10)) {
		add(groups, (gid_t)group);
		text = end;
	}
}

/* Real, effective, saved and file system uid: a program that changed only some of them is about to change its user. */
static bool has_uid(const char *text, uid_t uid)
{
	unsigned int uids[4];

	if (sscanf(text, "%u %u %u %u", &uids[0], &uids[1], &uids[2], &uids[3]) != 4)
		return false;
	for (int i = 0; i < 4; i++)
		if (uids[i] != uid)
			return false;
	return true;
}

/* Returns whether the process is the user's; if so, adds its groups. *pid becomes its parent, or 0. */
static bool take_process(pid_t *pid, uid_t uid, struct groups *groups)
{
	_cleanup_fclose_ FILE *file = NULL;
	_cleanup_free_ char *line = NULL;
	char path[32];
	size_t size = 0;
	bool is_theirs = false;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)*pid);
	*pid = 0;
	file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0) {
		if (!strncmp(line, "PPid:", 5))
			*pid = (pid_t)strtol(line + 5, NULL, 10);
		else if (!strncmp(line, "Uid:", 4))
			is_theirs = has_uid(line + 4, uid);
		else if (!strncmp(line, "Groups:", 7) && is_theirs)
			add_listed(groups, line + 7);
	}
	return is_theirs;
}

static bool add_ancestors(struct groups *groups, uid_t uid)
{
	enum { GENERATIONS = 64 };
	pid_t pid = getppid();

	for (int i = 0; i < GENERATIONS && pid > 0; i++)
		if (take_process(&pid, uid, groups))
			return true;
	return false;
}

/* --- the files ---------------------------------------------------------------------------------- */

/* The user's name, as /etc/group lists it; to be freed. NULL: none. */
static char *name_of(uid_t uid)
{
	_cleanup_fclose_ FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *entry;

	while (file && (entry = fgetpwent(file)))
		if (entry->pw_uid == uid)
			return strdup(entry->pw_name);
	return NULL;
}

static bool has_member(const struct group *group, const char *name)
{
	for (char **member = group->gr_mem; *member; member++)
		if (!strcmp(*member, name))
			return true;
	return false;
}

static void add_from_files(struct groups *groups, uid_t uid)
{
	_cleanup_free_ char *name = name_of(uid);
	_cleanup_fclose_ FILE *file = name ? fopen("/etc/group", "re") : NULL;
	const struct group *entry;

	while (file && (entry = fgetgrent(file)))
		if (has_member(entry, name))
			add(groups, entry->gr_gid);
}

size_t caller_groups(uid_t uid, gid_t gid, gid_t *ret_groups, size_t room)
{
	struct groups groups = {.items = ret_groups, .room = room};

	add(&groups, gid);
	if (!add_ancestors(&groups, uid))
		add_from_files(&groups, uid);
	return groups.count;
}
