/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/descriptors.h"
#include "common/gate/confine.h"
#include "common/log.h"
#include "common/sanitized.h"
#include "report/sandbox/user.h"
#include "report/sandbox/worker_calls.h"

/*
 * Landlock (Linux 5.13) with nothing allowed: no file below any path, no TCP, no abstract socket and
 * no signal beyond this process and its children, as far as the kernel's version of it knows these.
 * Descriptors that are open stay.
 */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif

/* struct landlock_ruleset_attr of include/uapi/linux/landlock.h, of which older headers know only a part. */
struct ruleset {
	uint64_t files, net, scoped;
};

enum { GET_VERSION = 1, NET_ACCESS = 3 /* bind, connect */, SCOPED = 3 /* abstract sockets, signals */ };

/* How many access rights to files an ABI knows: each is one bit, from 0. */
static unsigned int file_rights(int abi)
{
	static const uint8_t count[] = {0, 13 /* files and folders */, 14 /* + refer */, 15 /* + truncate */, 15,
					16 /* + ioctl of devices */};
	const int last = (int)sizeof(count) - 1;

	return count[abi < last ? abi : last];
}

static size_t known_size(int abi)
{
	if (abi < 4)
		return offsetof(struct ruleset, net);
	return abi < 6 ? offsetof(struct ruleset, scoped) : sizeof(struct ruleset);
}

/* The kernel's ABI version, from 1; 0: the kernel has none, or it is switched off; -errno. */
static int landlock_deny_all(void)
{
	int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, GET_VERSION), fd, r;
	struct ruleset ruleset = {.net = NET_ACCESS, .scoped = SCOPED};

	if (abi < 0)
		return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -errno;
	ruleset.files = (UINT64_C(1) << file_rights(abi)) - 1;
	fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, known_size(abi), 0);
	if (fd < 0)
		return -errno;
	r = syscall(SYS_landlock_restrict_self, fd, 0) ? -errno : abi;
	(void)close(fd);
	return r;
}

/* --- all of it --- */

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
