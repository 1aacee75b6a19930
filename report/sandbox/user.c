/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/gate/confine.h"
#include "common/log.h"
#include "common/process.h"

enum { NOBODY = 65534 };

static int fail(int r)
{
	return log_error(-r, "cannot give up root: %s; --no-sandbox does without it, for traces that you trust",
			 strerror(-r));
}

static bool owns_one(uid_t uid, const int *fds, size_t count)
{
	struct stat status;

	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0 && (fstat(fds[i], &status) < 0 || status.st_uid == uid))
			return true;
	return false;
}

static bool owns_all(uid_t uid, const int *fds, size_t count)
{
	struct stat status;

	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0 &&
		    (fstat(fds[i], &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != uid))
			return false;
	return true;
}

/* Whether this user namespace has the number. Only the real user is changed, and changed back. */
static bool exists(uid_t uid)
{
	return !setreuid(uid, (uid_t)-1) && !setreuid(0, (uid_t)-1);
}

/* Numbers with the highest bit are given to nobody; the two highest have a meaning. */
static int choose_nobody(const int *fds, size_t count, struct user *ret_user)
{
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	number = USER_PRIVATE | (number & 0x7ffffff0u);
	if (!exists(number) || owns_one(number, fds, count))
		number = NOBODY;
	if (!exists(number) && owns_all(0, fds, count)) /* a container whose root may not change its user */
		number = 0;
	else if (owns_one(number, fds, count))
		return -EPERM;
	*ret_user = (struct user){true, true, number, number};
	return 0;
}

int users_choose(const int *fds, size_t count, struct reader_users *ret_users)
{
	struct reader_users users = {0};
	struct user user = {.other = true};
	int r;

	*ret_users = users;
	if (geteuid())
		return 0;
	if (sudo_user(&user.uid, &user.gid)) {
		*ret_users = (struct reader_users){user, user, user};
		return 0;
	}
	users.parent = users.opener = (struct user){.other = true};
	r = choose_nobody(fds, count, &users.worker);
	if (r < 0)
		return fail(r);
	if (!owns_all(0, fds, count))
		users.opener = users.worker;
	*ret_users = users;
	return 0;
}

static int become(const struct user *user)
{
	const struct passwd *known = user->unknown ? NULL : getpwuid(user->uid);
	const gid_t gid = known ? known->pw_gid : user->gid;

	if ((known ? initgroups(known->pw_name, gid) : setgroups(1, &gid)) || setresgid(gid, gid, gid) ||
	    setresuid(user->uid, user->uid, user->uid))
		return -errno;
	if (!setuid(0) || geteuid() != user->uid)
		return -EPERM;
	return known && setenv("HOME", known->pw_dir, 1) < 0 ? -errno : 0;
}

static int keep_only(uint64_t capabilities)
{
	int r = capabilities_unbind();

	return r < 0 ? r : capabilities_keep(capabilities);
}

int user_become(const struct user *user)
{
	int r = !user->other ? 0 : user->uid ? become(user) : keep_only(0);

	return r < 0 ? fail(r) : 0;
}

int user_become_parent(const struct user *user)
{
	int r = !user->other || user->uid ? 0 : keep_only(CAPABILITY(KILL));

	return r < 0 ? fail(r) : 0;
}
