/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The worker's jail from inside, as root and as another user, with both of its parts and with each
 * alone: attacks must kill the process, or fail, and what reports need must work.
 */
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/sanitized.h"
#include "report/sandbox/jail.h"
#include "tests/test.h"
#include "tests/unit/attacks.h"

enum { NOBODY = 65534, NO_JAIL = 9, WORKED = 0, FAILED = 1 };

#define NEEDS_JAIL(t)                                                                                                 \
	do {                                                                                                          \
		if (sanitized_build())                                                                                \
			SKIP(t, "a build with sanitizers has no jail");                                               \
	} while (0)

typedef bool act(const void *what);

/* The status of a child that did this in the jail. */
static int in_jail(unsigned int parts, uid_t user, act *attack, const void *what)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		const struct jail_settings settings = {.parts = parts};
		char text[JAIL_TEXT];

		if (user && setresuid(user, user, user))
			_exit(NO_JAIL);
		if (jail_enter(&settings, text))
			_exit(NO_JAIL);
		_exit(attack(what) ? WORKED : FAILED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

/* Root's attacks come first; without root there are only those of this user. */
static const uid_t *users(size_t *ret_count)
{
	static const uid_t both[] = {0, NOBODY}, none[] = {0};

	*ret_count = geteuid() ? 1 : 2;
	return geteuid() ? none : both;
}

/* --- calls ------------------------------------------------------------------------------------------- */

static bool calls(const void *what)
{
	return attack_run(what) >= 0;
}

static const struct attack MORE[] = {
	{"read a file", SYS_openat, {AT_FDCWD, ADDRESS(NOWHERE), O_RDONLY}},
	{"resolve a path", SYS_openat2, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}},
	{"whether a file is there", SYS_faccessat, {AT_FDCWD, ADDRESS(NOWHERE), 0}},
	{"a link's target", SYS_readlinkat, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}},
	{"a file's status by its name", SYS_newfstatat, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}},
	{"read a folder", SYS_getdents64, {NO_FILE, 0, 0}},
	{"a limit of another process", SYS_prlimit64, {NO_PROCESS, 0, 0, 0}},
	{"signals for others from a descriptor", SYS_fcntl, {0, F_SETOWN, NO_PROCESS}},
	{"signal itself", SYS_tgkill, {NO_PROCESS, NO_PROCESS, 0}},
	{"shared memory of others", SYS_shmget, {0x7277, ONE_PAGE, 0}},
	{"events of the CPU", SYS_perf_event_open, {0, 0, 0, 0, 0}},
	{"a descriptor of a process", SYS_pidfd_open, {NO_PROCESS, 0}},
	{"a child that shares memory", SYS_clone, {CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0}},
	{"a child in a namespace", SYS_clone, {CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0}},
	{"capabilities", SYS_capset, {0, 0}},
	{"another root", SYS_pivot_root, {ADDRESS(NOWHERE), ADDRESS(NOWHERE)}},
	{"another filter", SYS_seccomp, {1, 0, 0}},
};

/* Answered, because libraries ask and go on without it. */
static bool may_fail(const struct attack *attack)
{
	return attack->number == SYS_ioctl || attack->number == SYS_readlinkat || attack->number == SYS_openat;
}

static void check_dies(struct test *t, unsigned int parts, uid_t user, const struct attack *attack)
{
	int status = in_jail(parts, user, calls, attack);
	bool failed = WIFEXITED(status) && WEXITSTATUS(status) == FAILED && may_fail(attack);

	test_check(t, failed || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS), "%s as %u, parts %u: status %x",
		   attack->name, (unsigned int)user, parts, (unsigned int)status);
}

static void kills_who_attacks(struct test *t)
{
	static const unsigned int ways[] = {JAIL_ALL, JAIL_CALLS};
	size_t count;
	const uid_t *user = users(&count);

	NEEDS_JAIL(t);
	for (size_t i = 0; i < 2 * count; i++) {
		for (size_t k = 0; k < ATTACK_COUNT; k++)
			check_dies(t, ways[i % 2], user[i / 2], &ATTACKS[k]);
		for (size_t k = 0; k < sizeof(MORE) / sizeof(MORE[0]); k++)
			check_dies(t, ways[i % 2], user[i / 2], &MORE[k]);
	}
}

/* --- landlock alone: what these would do to files that exist ------------------------------------------------ */

static bool opens(const void *what)
{
	return open(what, O_RDONLY) >= 0;
}

static bool empties(const void *what)
{
	return truncate(what, 0) == 0;
}

static bool makes(const void *what)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "%s.new", (const char *)what);
	return open(path, O_CREAT | O_WRONLY, 0600) >= 0 || mkdir(path, 0700) == 0 || symlink("/", path) == 0;
}

static bool removes(const void *what)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "%s.old", (const char *)what);
	return unlink(what) == 0 || rename(what, path) == 0 || link(what, path) == 0;
}

static bool runs(const void *what)
{
	(void)what;
	(void)execl("/bin/true", "true", (char *)NULL);
	return false;
}

static bool signals(const void *what)
{
	(void)what;
	return kill(getppid(), 0) == 0;
}

static bool connects(const void *what)
{
	const struct sockaddr_in nobody = {.sin_family = AF_INET, .sin_port = htons(1),
					   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	(void)what;
	return !connect(socket(AF_INET, SOCK_STREAM, 0), (const struct sockaddr *)&nobody, sizeof(nobody)) ||
	       errno != EACCES;
}

static int landlock_version(void)
{
	return (int)syscall(444 /* landlock_create_ruleset */, NULL, 0, 1);
}

static void denies_files(struct test *t)
{
	static const struct {
		const char *name;
		act *attack;
		int version; /* of landlock from which on it is denied */
	} attacks[] = {
		{"open", opens, 1}, {"empty", empties, 3}, {"make", makes, 1}, {"remove", removes, 1},
		{"run", runs, 1}, {"connect", connects, 4}, {"signal", signals, 6},
	};
	char path[] = "/tmp/jail-XXXXXX";
	size_t count;
	const uid_t *user = users(&count);
	int fd;

	NEEDS_JAIL(t);
	if (landlock_version() < 1)
		SKIP(t, "this kernel has no landlock");
	fd = mkstemp(path);
	REQUIRE(t, fd >= 0 && !fchmod(fd, 0644) && (geteuid() || !fchown(fd, NOBODY, NOBODY)));
	for (size_t i = 0; i < count * sizeof(attacks) / sizeof(attacks[0]); i++) {
		const size_t k = i / count;
		int status = in_jail(JAIL_LANDLOCK, user[i % count], attacks[k].attack, path);

		if (landlock_version() >= attacks[k].version)
			test_check(t, WIFEXITED(status) && WEXITSTATUS(status) == FAILED, "%s as %u: status %x",
				   attacks[k].name, (unsigned int)user[i % count], (unsigned int)status);
	}
	CHECK_INT(t, unlink(path), 0);
	(void)close(fd);
}

/* --- kernels without landlock ------------------------------------------------------------------------------- */

static void take_landlock_away(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {4, code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(NO_JAIL);
}

/* How it ends for that user: the jail's text or its errno, into `said`. */
static void enter_without(uid_t user, char said[static JAIL_TEXT])
{
	int ends[2] = {-1, -1};
	ssize_t length;
	pid_t pid;

	if (pipe(ends) || (pid = fork()) < 0)
		return;
	if (!pid) {
		const struct jail_settings settings = {.parts = JAIL_ALL, .fds = &ends[1], .fd_count = 1};
		char text[JAIL_TEXT] = "";
		int r;

		take_landlock_away();
		if (user && setresuid(user, user, user))
			_exit(NO_JAIL);
		r = jail_enter(&settings, text);
		if (r < 0)
			(void)snprintf(text, sizeof(text), "%s", strerror(-r));
		_exit(write(ends[1], text, strlen(text)) < 0);
	}
	(void)close(ends[1]);
	length = read(ends[0], said, JAIL_TEXT - 1);
	said[length > 0 ? length : 0] = '\0';
	(void)close(ends[0]);
	(void)waitpid(pid, NULL, 0);
}

static void root_needs_landlock(struct test *t)
{
	char said[JAIL_TEXT];

	NEEDS_JAIL(t);
	if (geteuid())
		SKIP(t, "needs root");
	enter_without(0, said);
	CHECK_STR(t, said, strerror(ENOTSUP));
	enter_without(NOBODY, said);
	CHECK_STR(t, said, "no landlock on this kernel, seccomp, as uid 65534");
}

/* --- what reports need -------------------------------------------------------------------------------------- */

static bool reads_and_forks(const void *what)
{
	char byte = 0;
	int ends[2], status = -1;
	pid_t pid;

	(void)what;
	if (pipe2(ends, O_CLOEXEC) || write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1 || byte != 'x')
		return false;
	pid = fork();
	if (!pid)
		_exit(7);
	return waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7 && malloc(1 << 24) &&
	       memfd_create("unpacked", MFD_CLOEXEC) >= 0 && poll(NULL, 0, 0) == 0 && isatty(1) <= 1;
}

static void lets_reports_be_made(struct test *t)
{
	int status;

	NEEDS_JAIL(t);
	status = in_jail(JAIL_ALL, 0, reads_and_forks, NULL);
	CHECK_INT(t, status, 0);
}

static bool is_closed(const void *what)
{
	char byte;

	return fcntl(*(const int *)what, F_GETFD) < 0 && read(STDIN_FILENO, &byte, 1) == 0;
}

static void closes_what_is_not_needed(struct test *t)
{
	int fd;

	NEEDS_JAIL(t);
	fd = open("/", O_RDONLY | O_DIRECTORY);
	REQUIRE(t, fd > 2);
	CHECK_INT(t, in_jail(JAIL_ALL, 0, is_closed, &fd), 0);
	(void)close(fd);
}

TEST_MAIN(TEST(kills_who_attacks), TEST(denies_files), TEST(root_needs_landlock), TEST(lets_reports_be_made),
	  TEST(closes_what_is_not_needed))
