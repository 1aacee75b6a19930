/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/confine.h"
#include "common/log.h"
#include "common/process.h"
#include "report/sandbox/user.h"

/*
 * Landlock (Linux 5.13) with nothing allowed: no file below any path, no TCP, no abstract socket and
 * no signal beyond this process and its children, as far as the kernel's version of it knows these.
 * Descriptors that are open stay.
 */

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

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

/* --- system calls --- */

/*
 * What is needed to read, to compute, to print, to ask over a socket that is open, and to fork. None opens a file, runs
 * a program, reaches another process or makes memory executable; any other call kills the process, but openat,
 * readlinkat, clone3 and ioctl, which libraries try in vain, fail. What remains, and why it does no harm:
 *
 *	newfstatat        only with the flag for a descriptor, but a name passes with it, too: it shows a size and times
 *	fork              for the children that read DWARF, which inherit the jail, and are bounded by RLIMIT_CPU each
 *	memfd_create      for what is unpacked; nothing in it can be run or mapped as code
 *	sendmsg, recvmsg  on sockets that are open: those to the parent, which believes nothing
 */
static const struct call_row ROWS[] = {
	CALL(read), CALL(pread64), CALL(write), CALL(pwrite64), CALL(writev), CALL(lseek), CALL(close), CALL(dup),
	CALL(dup3), CALL(pipe2), CALL(ppoll), CALL(recvmsg), CALL(sendmsg),
	/* open files */
	CALL(fstat), CALL_WITH(newfstatat, 3, AT_EMPTY_PATH), CALL(fstatfs), CALL(ftruncate), CALL(fallocate),
	CALL(fsync), CALL(fdatasync), CALL(memfd_create),
	CALL_EQUAL(fcntl, 1, F_DUPFD), CALL_EQUAL(fcntl, 1, F_DUPFD_CLOEXEC), CALL_EQUAL(fcntl, 1, F_GETFD),
	CALL_EQUAL(fcntl, 1, F_SETFD), CALL_EQUAL(fcntl, 1, F_GETFL), CALL_EQUAL(fcntl, 1, F_SETFL),
	/* the terminal: its size, and whether it is one */
	CALL_EQUAL(ioctl, 1, TIOCGWINSZ), CALL_EQUAL(ioctl, 1, TCGETS), CALL_FAILS(ioctl, ENOTTY),
	/* libdw looks for the path of a file and for files that it refers to, and goes on if it finds nothing */
	CALL_FAILS(readlinkat, ENOENT), CALL_FAILS(openat, EACCES),
	/* memory */
	CALLS_OF_MEMORY,
	/* itself, and its children */
	CALL_FORK, CALL_FAILS(clone3, ENOSYS), CALL(wait4), CALL(getpid),
	CALL(getppid), CALL(gettid), CALL(getrusage), CALL_EQUAL(prlimit64, 0, 0),
	CALL_EQUAL(prctl, 0, PR_SET_PDEATHSIG), CALL(rt_sigaction), CALL(rt_sigprocmask), CALLS_OF_ENDING,
	CALL(timer_create), CALL(timer_settime),
	/* the machine */
	CALL(getrandom), CALL(clock_gettime), CALL(clock_nanosleep), CALL(gettimeofday), CALL(sched_getaffinity),
	CALL(sysinfo), CALL(uname),
};

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

	if (!r)
		r = process_isolate();
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
	r = settings->parts & JAIL_CALLS ? call_filter_install(&(struct call_list)CALL_LIST(ROWS), 1, CALL_REFUSAL_KILLS) :
					   -ENOTSUP;
	if (r < 0 && r != -ENOTSUP)
		return fail(r);
	describe(abi, !r, user, text);
	return 0;
}
