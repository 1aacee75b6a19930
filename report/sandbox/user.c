/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/confine/capabilities.h"
#include "common/log.h"
#include "common/sudo_user.h"

struct user {
	uid_t uid; /* 0: root, nobody else is known */
	gid_t gid;
};

/* The owner of all files, if it is one user. */
static struct user owner_of(const int *fds, size_t count)
{
	struct user owner = {0};
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		struct stat status;

		if (fds[i] < 0)
			continue;
		if (fstat(fds[i], &status) < 0 || !S_ISREG(status.st_mode) || (found && status.st_uid != owner.uid))
			return (struct user){0};
		owner = (struct user){status.st_uid, status.st_gid};
		found = true;
	}
	return owner;
}

static struct user choose(const int *fds, size_t count)
{
	struct user user;

	return sudo_user(&user.uid, &user.gid) ? user : owner_of(fds, count);
}

static int become(const struct user *user)
{
	const struct passwd *known = getpwuid(user->uid);
	const gid_t gid = known ? known->pw_gid : user->gid;

	if ((known ? initgroups(known->pw_name, gid) : setgroups(1, &gid)) || setresgid(gid, gid, gid) ||
	    setresuid(user->uid, user->uid, user->uid))
		return -errno;
	return setuid(0) && geteuid() == user->uid ? 0 : -EPERM;
}

int user_leave_root(const int *fds, size_t count)
{
	struct user user;
	int r = 0;

	if (geteuid())
		return 0;
	user = choose(fds, count);
	if (user.uid)
		r = become(&user);
	if (!r && !user.uid)
		r = capabilities_unbind();
	if (!r && !user.uid)
		r = capabilities_keep(0);
	if (r < 0)
		return log_error(-r, "cannot give up root: %s; --no-sandbox does without it, for traces that you trust",
				 strerror(-r));
	return user.uid != 0;
}
