/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the reporter's processes may do, from inside, as root and as another user: an attack kills the process, or fails,
 * and what reports need works. The worker in its jail, with both of its parts and with each alone; and those of the opener.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/gate/confine.h"
#include "report/opener/opener_server.c"
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
typedef int confine(void);

static int enter_jail(unsigned int parts)
{
	const struct jail_settings settings = {.parts = parts};
	char text[JAIL_TEXT];

	return jail_enter(&settings, text);
}

static int in_jail(void)
{
	return enter_jail(JAIL_ALL);
}

static int in_filter(void)
{
	return enter_jail(JAIL_CALLS);
}

static int in_landlock(void)
{
	return enter_jail(JAIL_LANDLOCK);
}

/* The status of a child that did this when it was confined. */
static int confined(confine *confine, uid_t user, act *attack, const void *what)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		if ((user && setresuid(user, user, user)) || confine())
			_exit(NO_JAIL);
		_exit(attack(what) ? WORKED : FAILED);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : status;
}

static int attack_as_opener(int socket, const void *context)
{
	(void)socket;
	return attack_run(context) < 0;
}

/* A helper with the opener's row that attacks instead; this process ends as it did. */
static int as_opener(const void *what)
{
	struct helper_kind kind = KIND;
	const struct helper_table table = {&kind, 1, .filter_may_lack = true};
	struct spawner *spawner;
	int status = NO_JAIL << 8, socket;
	pid_t pid;

	kind.run = attack_as_opener;
	if (spawner_create_here(&table, what, true, &spawner) || spawner_start(spawner, 0, &socket, &pid) ||
	    waitpid(pid, &status, 0) != pid)
		_exit(NO_JAIL);
	if (WIFSIGNALED(status))
		(void)raise(WTERMSIG(status));
	_exit(WEXITSTATUS(status));
}

static bool attacks_as_opener(const void *what)
{
	return as_opener(what);
}

static int unconfined(void)
{
	return 0;
}

/* Root's attacks come first; without root there are only those of this user. */
static const uid_t *users(size_t *ret_count)
{
	static const uid_t both[] = {0, NOBODY}, none[] = {0};

	*ret_count = geteuid() ? 1 : 2;
	return geteuid() ? none : both;
}

/* --- calls --- */

static bool calls(const void *what)
{
	return attack_run(what) >= 0;
}

static const struct attack MORE[] = {
	{"resolve a path", SYS_openat2, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}},
	{"read a folder", SYS_getdents64, {NO_FILE, 0, 0}},
	{"a limit of another process", SYS_prlimit64, {NO_PROCESS, 0, 0, 0}},
	{"signals for others from a descriptor", SYS_fcntl, {0, F_SETOWN, NO_PROCESS}},
	{"a descriptor of a process", SYS_pidfd_open, {NO_PROCESS, 0}},
	{"a child that shares memory", SYS_clone, {CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0}},
	{"capabilities", SYS_capset, {0, 0}},
	{"another root", SYS_pivot_root, {ADDRESS(NOWHERE), ADDRESS(NOWHERE)}},
};

static const struct attack OF_JAILED[] = {
	{"read a file", SYS_openat, {AT_FDCWD, ADDRESS(NOWHERE), O_RDONLY}},
	{"whether a file is there", SYS_faccessat, {AT_FDCWD, ADDRESS(NOWHERE), 0}},
	{"a link's target", SYS_readlinkat, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}},
	{"a file's status by its name", SYS_newfstatat, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}},
	{"signal itself", SYS_tgkill, {NO_PROCESS, NO_PROCESS, 0}},
	{"shared memory of others", SYS_shmget, {0x7277, ONE_PAGE, 0}},
	{"events of the CPU", SYS_perf_event_open, {0, 0, 0, 0, 0}},
	{"a child in a namespace", SYS_clone, {CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0}},
	{"another filter", SYS_seccomp, {1, 0, 0}},
};

static const struct attack OF_OPENERS[] = {
	{"a file in memory", SYS_memfd_create, {ADDRESS(NOWHERE), 0}},
	{"write", SYS_write, {NO_FILE, 0, 0}},
	{"another user for files", SYS_setfsuid, {0}},
	{"a process", SYS_clone, {SIGCHLD, 0, 0, 0, 0}},
	{"kill", SYS_kill, {NO_PROCESS, SIGKILL}},
	{"lift a ban", SYS_prctl, {PR_SET_PDEATHSIG, 0, 0, 0, 0}},
	{"another filter", SYS_prctl, {PR_SET_SECCOMP, 2, 0, 0, 0}},
};

/* Answered in the jail, because libraries ask and go on without it. */
static bool may_fail(const struct attack *attack)
{
	return attack->number == SYS_ioctl || attack->number == SYS_readlinkat || attack->number == SYS_openat;
}

static void check_dies(struct test *t, confine *confine, bool jail, const struct attack *attacks, size_t attack_count)
{
	size_t count;
	const uid_t *user = users(&count);

	for (size_t i = 0; i < count * attack_count; i++) {
		const struct attack *attack = &attacks[i / count];
		int status = confined(confine, user[i % count], jail ? calls : attacks_as_opener, attack);
		bool failed = jail && WIFEXITED(status) && WEXITSTATUS(status) == FAILED && may_fail(attack);

		test_check(t, failed || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS), "%s as %u: status %x",
			   attack->name, (unsigned int)user[i % count], (unsigned int)status);
	}
}

#define CHECK_DIES(t, confine, jail, attacks) \
	check_dies((t), (confine), (jail), (attacks), sizeof(attacks) / sizeof((attacks)[0]))

static void kills_who_attacks(struct test *t)
{
	static confine *const ways[] = {in_jail, in_filter, unconfined};

	NEEDS_JAIL(t);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		CHECK_DIES(t, ways[i], i < 2, ATTACKS);
		CHECK_DIES(t, ways[i], i < 2, MORE);
		if (i < 2)
			CHECK_DIES(t, ways[i], true, OF_JAILED);
		else
			CHECK_DIES(t, ways[i], false, OF_OPENERS);
	}
}

/* --- landlock alone: what these would do to files that exist --- */

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
		int status = confined(in_landlock, user[i % count], attacks[k].attack, path);

		if (landlock_version() >= attacks[k].version)
			test_check(t, WIFEXITED(status) && WEXITSTATUS(status) == FAILED, "%s as %u: status %x",
				   attacks[k].name, (unsigned int)user[i % count], (unsigned int)status);
	}
	CHECK_INT(t, unlink(path), 0);
	(void)close(fd);
}

/* --- kernels without landlock --- */

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

/* --- what reports need --- */

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
	CHECK_INT(t, confined(in_jail, 0, is_closed, &fd), 0);
	(void)close(fd);
}

/* --- the processes of the opener --- */

/* The text after "NAME:" and blanks in /proc/PID/status; "": there is none. */
static void field_of(pid_t pid, const char *name, char ret_text[static 64])
{
	char path[64], line[256];
	FILE *file;

	ret_text[0] = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		size_t length = strlen(name);

		if (strncmp(line, name, length) != 0 || line[length] != ':')
			continue;
		line[strcspn(line, "\n")] = '\0';
		(void)snprintf(ret_text, 64, "%.63s", line + length + 1 + strspn(line + length + 1, " \t"));
	}
	if (file)
		(void)fclose(file);
}

/* The only one; -1: there is none. */
static pid_t child_of(pid_t parent)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	pid_t found = -1;

	while (folder && (entry = readdir(folder))) {
		char text[64];
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		field_of(pid, "PPid", text);
		if (pid > 0 && strtol(text, NULL, 10) == parent)
			found = pid;
	}
	if (folder)
		(void)closedir(folder);
	return found;
}

static void check_field(struct test *t, pid_t pid, const char *name, const char *wanted)
{
	char text[64];

	field_of(pid, name, text);
	test_check(t, !strcmp(text, wanted), "%s of %d is '%s', not '%s'", name, (int)pid, text, wanted);
}

/* CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_SYSLOG */
static const unsigned long long READS = 0x400080004;

/* How many filters it has beyond those of this process; -1: this kernel does not say. */
static long filters_of(pid_t pid)
{
	char text[64], own[64];

	field_of(pid, "Seccomp_filters", text);
	field_of(getpid(), "Seccomp_filters", own);
	return text[0] ? strtol(text, NULL, 10) - strtol(own, NULL, 10) : -1;
}

static void check_process(struct test *t, pid_t pid, long filters)
{
	char own[64], capabilities[64];

	REQUIRE(t, pid > 0);
	field_of(getpid(), "CapPrm", own);
	(void)snprintf(capabilities, sizeof(capabilities), "%016llx", strtoull(own, NULL, 16) & READS);
	check_field(t, pid, "NoNewPrivs", "1");
	check_field(t, pid, "CapEff", capabilities);
	check_field(t, pid, "CapPrm", capabilities);
	check_field(t, pid, "CapInh", "0000000000000000");
	if (filters)
		check_field(t, pid, "Seccomp", "2");
	if (filters_of(pid) >= 0)
		CHECK_INT(t, filters_of(pid), filters);
}

struct opening {
	struct opener_server *server;
	struct opener *opener;
};

static void opening_start(struct test *t, struct opening *opening, const struct opener_settings *settings, bool now)
{
	struct service service;

	REQUIRE(t, opener_server_create(settings, now, &opening->server) == 0);
	service = opener_server_service(opening->server);
	REQUIRE(t, opener_create(&service, &opening->opener) == 0);
}

static void opening_end(struct opening *opening)
{
	opener_destroy(opening->opener);
	opener_server_destroy(opening->server);
}

static void its_processes_are_confined(struct test *t)
{
	const struct opener_settings settings = {0};
	struct opening opening;
	struct opened_file file;

	NEEDS_JAIL(t);
	for (int now = 0; now <= 1; now++) {
		opening_start(t, &opening, &settings, now);
		CHECK_INT(t, opener_open(opening.opener, OPENER_ELF, NOWHERE, &file), -ENOENT); /* now there is a helper */
		check_process(t, child_of(getpid()), 1);
		if (now)
			check_process(t, child_of(child_of(getpid())), 2);
		opening_end(&opening);
		CHECK_INT(t, child_of(getpid()), -1);
	}
}

/* Somebody may stop it, or end it, while it waits for a request. */
static void a_stopped_helper_is_replaced(struct test *t)
{
	const struct opener_settings settings = {0};
	struct opening opening;
	struct opened_file file;
	char state[64];
	pid_t stopped;

	opening_start(t, &opening, &settings, false);
	CHECK_INT(t, opener_open(opening.opener, OPENER_ELF, NOWHERE, &file), -ENOENT);
	stopped = child_of(getpid());
	REQUIRE(t, stopped > 0 && kill(stopped, SIGSTOP) == 0);
	do
		field_of(stopped, "State", state);
	while (state[0] == 'R' || state[0] == 'S');
	CHECK_INT(t, opener_open(opening.opener, OPENER_ELF, "/nowhere/else", &file), -ENOENT);
	CHECK(t, opening.server->helper.pid != stopped && !opening.server->timeouts);
	stopped = opening.server->helper.pid;
	REQUIRE(t, kill(stopped, SIGKILL) == 0);
	do
		field_of(stopped, "State", state);
	while (state[0] != 'Z');
	CHECK_INT(t, opener_open(opening.opener, OPENER_ELF, "/proc/self/exe", &file), -EPERM); /* by its rules */
	CHECK(t, opening.server->helper.pid != stopped && opening.server->deaths == 1);
	stopped = opening.server->helper.pid;
	REQUIRE(t, kill(stopped, SIGSYS) == 0); /* as if its filter had */
	do
		field_of(stopped, "State", state);
	while (state[0] != 'Z');
	CHECK_INT(t, opener_open(opening.opener, OPENER_ELF, "/proc/self/exe", &file), -EIO);
	opening_end(&opening);
}

TEST_MAIN(TEST(kills_who_attacks), TEST(denies_files), TEST(root_needs_landlock),
	  TEST(closes_what_is_not_needed), TEST(its_processes_are_confined),
	  TEST(a_stopped_helper_is_replaced))
