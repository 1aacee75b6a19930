/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/confine.h"

/* proc(5): the kernel prints every group, of which there may be 65,536. */
enum { STATUS_ROOM = 64 << 10 };

/* --- /proc/PID/status ---------------------------------------------------------------------------- */

/* The whole file, NUL-terminated. */
static int status_read(int folder, char *text)
{
	_cleanup_close_ int fd = openat(folder, "status", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && length < STATUS_ROOM) {
		got = read(fd, text + length, STATUS_ROOM - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	if (length == STATUS_ROOM)
		return -E2BIG;
	text[length] = '\0';
	return 0;
}

/* What follows a name at the beginning of a line, or NULL. */
static const char *field_find(const char *text, const char *name)
{
	const char *line = text;

	while (line && strncmp(line, name, strlen(name)) != 0) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return line ? line + strlen(name) : NULL;
}

/* The next number of the line, 1; 0: there is none. */
static int number_next(const char **at, unsigned int *ret_number)
{
	char *end;
	unsigned long number;

	*at += strspn(*at, " \t");
	if (**at < '0' || **at > '9')
		return 0;
	number = strtoul(*at, &end, 10);
	*at = end;
	*ret_number = (unsigned int)number;
	return 1;
}

/* Real, effective, saved and that of the file system, which is the one that counts. */
static int id_parse(const char *text, const char *name, unsigned int *ret_id)
{
	const char *at = field_find(text, name);
	unsigned int ids[4];

	for (size_t i = 0; at && i < 4; i++)
		if (!number_next(&at, &ids[i]))
			at = NULL;
	if (!at)
		return -EPROTO;
	*ret_id = ids[3];
	return 0;
}

static int groups_parse(const char *text, struct rights *rights)
{
	const char *at = field_find(text, "Groups:");
	size_t room = 0;
	unsigned int id;

	if (!at)
		return -EPROTO;
	for (const char *next = at; number_next(&next, &id);)
		room++;
	rights->groups = calloc(room + 1, sizeof(*rights->groups));
	if (!rights->groups)
		return -ENOMEM;
	while (number_next(&at, &id))
		rights->groups[rights->group_count++] = id;
	return 0;
}

int rights_of_process(int folder, struct rights *ret_rights)
{
	_cleanup_free_ char *text = malloc(STATUS_ROOM + 1);
	_cleanup_(rights_deinit) struct rights rights = {0};
	int r = text ? status_read(folder, text) : -ENOMEM;

	if (!r)
		r = id_parse(text, "Uid:", &rights.uid);
	if (!r)
		r = id_parse(text, "Gid:", &rights.gid);
	if (!r)
		r = groups_parse(text, &rights);
	if (r)
		return r;
	*ret_rights = rights;
	rights.groups = NULL;
	return 0;
}

/* --- others -------------------------------------------------------------------------------------- */

struct rights rights_of_user(uid_t uid, gid_t gid)
{
	return (struct rights){.uid = uid, .gid = gid};
}

/* helpers.c has kept the user behind sudo as the real one; root's helpers are nobody in both. */
void rights_of_caller(struct rights *ret_rights)
{
	*ret_rights = rights_of_user(getuid(), getgid());
	ret_rights->own = getuid() == geteuid();
}

bool rights_equal(const struct rights *a, const struct rights *b)
{
	return a->own == b->own && a->uid == b->uid && a->gid == b->gid && a->group_count == b->group_count &&
	       (!a->group_count || !memcmp(a->groups, b->groups, a->group_count * sizeof(*a->groups)));
}

void rights_deinit(struct rights *rights)
{
	free(rights->groups);
	*rights = (struct rights){0};
}

/* --- becoming ------------------------------------------------------------------------------------ */

/* setfsuid() cannot report failure: a second call shows the ids now in effect. */
static int fs_ids_set(uid_t uid, gid_t gid)
{
	(void)setfsgid(gid);
	(void)setfsuid(uid);
	return (gid_t)setfsgid((gid_t)-1) == gid && (uid_t)setfsuid((uid_t)-1) == uid ? 0 : -EPERM;
}

int rights_enter(const struct rights *rights)
{
	int r;

	if (rights->own)
		return 0;
	/* A recorder that is not root may not set groups, and need not where the user is its own. */
	if (setgroups(rights->group_count, rights->groups) && (errno != EPERM || rights->uid != geteuid()))
		return -errno;
	r = fs_ids_set(rights->uid, rights->gid);
	if (!r) /* changing ids made the kernel forget that we end with the recorder */
		r = process_end_with_parent();
	return r ? r : capabilities_use(false);
}

/* If fsuid was root's, leaving it takes capabilities away, so they are restored after that. */
int rights_leave(const struct rights *rights)
{
	int r;

	if (rights->own)
		return 0;
	r = fs_ids_set(geteuid(), getegid());
	if (!r)
		r = capabilities_use(true);
	if (!r && setgroups(0, NULL) && errno != EPERM)
		r = -errno;
	return r ? r : process_end_with_parent();
}
