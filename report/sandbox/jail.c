/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/confine/capabilities.h"
#include "common/descriptors.h"
#include "common/log.h"
#include "common/sanitized.h"
#include "report/sandbox/landlock.h"
#include "report/sandbox/user.h"
#include "report/sandbox/worker_calls.h"

static int leave_stdin(void)
{
	_cleanup_close_ int nothing = descriptors_open_nothing(O_RDWR | O_CLOEXEC);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
		return -errno;
	return 0;
}

static int give_up(const struct jail_settings *settings)
{
	int r = capabilities_keep(0);

	if (!r && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0)))
		r = -errno;
	if (!r)
		r = leave_stdin();
	if (!r)
		descriptors_close_others(settings->fds, settings->fd_count); /* a shell may have left some open */
	return r;
}

static int fail(int r)
{
	return log_error(-r, "cannot enter the sandbox: %s; --no-sandbox does without it, for traces that you trust",
			 strerror(-r));
}

static void describe(int abi, bool calls, uid_t user, char text[static JAIL_TEXT])
{
	char landlock[32] = "no landlock on this kernel", name[32] = "a user that nobody else is";

	if (abi)
		(void)snprintf(landlock, sizeof(landlock), "landlock (ABI %d)", abi);
	if (user < USER_PRIVATE)
		(void)snprintf(name, sizeof(name), "uid %u", (unsigned int)user);
	(void)snprintf(text, JAIL_TEXT, "%s, %s, as %s%s", landlock,
		       calls ? "seccomp" : "no seccomp on this kernel or machine", name,
		       user ? "" : " without capabilities");
}

int jail_enter(const struct jail_settings *settings, char text[static JAIL_TEXT])
{
	const uid_t user = geteuid();
	int abi = 0, r;

	if (!settings->parts || sanitized_build()) {
		(void)snprintf(text, JAIL_TEXT, "none (%s), as uid %u",
			       settings->parts ? "built with AddressSanitizer" : "--no-sandbox",
			       (unsigned int)user);
		return 0;
	}
	r = give_up(settings);
	if (!r && settings->parts & JAIL_LANDLOCK)
		r = abi = landlock_deny_all();
	if (r < 0)
		return fail(r);
	if (!abi && settings->parts & JAIL_LANDLOCK && !user)
		return log_error(ENOTSUP, "as root the sandbox needs landlock, which this kernel does not have: "
					  "read the trace as another user, or with --no-sandbox if you trust it");
	r = settings->parts & JAIL_CALLS ? worker_calls_install() : -ENOTSUP;
	if (r < 0 && r != -ENOTSUP)
		return fail(r);
	describe(abi, !r, user, text);
	return 0;
}
