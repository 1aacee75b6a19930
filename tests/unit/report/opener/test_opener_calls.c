/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the opener's processes may do, from inside, as root and as another user: an attack kills the
 * process. And what the kernel says about the processes that opener_start() makes.
 */
#include <dirent.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common/sanitized.h"
#include "report/opener/opener.h"
#include "report/opener/opener_internal.h"
#include "tests/test.h"
#include "tests/unit/attacks.h"

enum { NOBODY = 65534, NO_FILTER = 9, WORKED = 0, FAILED = 1 };

#define NEEDS_FILTER(t)                                                                                               \
	do {                                                                                                          \
		if (sanitized_build())                                                                                \
			SKIP(t, "a build with sanitizers has no filter");                                             \
	} while (0)

typedef int install(void);

/* --- attacks --- */

static int worker_of_monitor(void)
{
	return opener_calls_of_monitor() || opener_calls_of_worker();
}

/* The status of a child that tried this. */
static int attacked(install *install, uid_t user, const struct attack *attack)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		if ((user && setresuid(user, user, user)) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || install())
			_exit(NO_FILTER);
		_exit(attack_run(attack) >= 0 ? WORKED : FAILED);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : status;
}

static const struct attack MORE[] = {
	{"resolve a path", SYS_openat2, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}},
	{"read a folder", SYS_getdents64, {NO_FILE, 0, 0}},
	{"a file in memory", SYS_memfd_create, {ADDRESS(NOWHERE), 0}},
	{"write", SYS_write, {NO_FILE, 0, 0}},
	{"a limit of another process", SYS_prlimit64, {NO_PROCESS, 0, 0, 0}},
	{"signals for others from a descriptor", SYS_fcntl, {NO_FILE, F_SETOWN, NO_PROCESS}},
	{"another user for files", SYS_setfsuid, {0}},
	{"capabilities", SYS_capset, {0, 0}},
	{"a descriptor of a process", SYS_pidfd_open, {NO_PROCESS, 0}},
	{"a child that shares memory", SYS_clone, {CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0}},
	{"another root", SYS_pivot_root, {ADDRESS(NOWHERE), ADDRESS(NOWHERE)}},
};

static const struct attack OF_WORKERS[] = {
	{"a process", SYS_clone, {SIGCHLD, 0, 0, 0, 0}},
	{"kill", SYS_kill, {NO_PROCESS, SIGKILL}},
	{"lift a ban", SYS_prctl, {PR_SET_PDEATHSIG, 0, 0, 0, 0}},
	{"another filter", SYS_prctl, {PR_SET_SECCOMP, 2, 0, 0, 0}},
};

static void check_dies(struct test *t, install *install, const struct attack *attacks, size_t count)
{
	static const uid_t users[] = {0 /* who runs the test */, NOBODY};

	for (size_t i = 0; i < 2 * count; i++) {
		const struct attack *attack = &attacks[i / 2];
		const uid_t user = users[i % 2];
		int status = user && geteuid() ? SIGSYS : attacked(install, user, attack);

		test_check(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "%s as %u: status %x", attack->name,
			   (unsigned int)user, (unsigned int)status);
	}
}

static void kills_a_monitor_that_attacks(struct test *t)
{
	NEEDS_FILTER(t);
	check_dies(t, opener_calls_of_monitor, ATTACKS, ATTACK_COUNT);
	check_dies(t, opener_calls_of_monitor, MORE, sizeof(MORE) / sizeof(MORE[0]));
}

static void kills_a_worker_that_attacks(struct test *t)
{
	NEEDS_FILTER(t);
	check_dies(t, worker_of_monitor, ATTACKS, ATTACK_COUNT);
	check_dies(t, worker_of_monitor, MORE, sizeof(MORE) / sizeof(MORE[0]));
	check_dies(t, worker_of_monitor, OF_WORKERS, sizeof(OF_WORKERS) / sizeof(OF_WORKERS[0]));
}

/* --- the processes --- */

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

static void check_processes(struct test *t, bool no_filter)
{
	const struct opener_settings settings = {.no_filter = no_filter};
	struct opener *opener;
	struct opened_file file;
	pid_t monitor;

	REQUIRE(t, opener_start(&settings, &opener) == 0);
	CHECK_INT(t, opener_open(opener, OPENER_ELF, NOWHERE, &file), -ENOENT); /* now there is a worker */
	monitor = child_of(getpid());
	check_process(t, monitor, no_filter ? 0 : 1);
	check_process(t, child_of(monitor), no_filter ? 0 : 2);
	opener_stop(opener);
}

static void its_processes_are_confined(struct test *t)
{
	NEEDS_FILTER(t);
	check_processes(t, false);
}

static void they_need_not_be(struct test *t)
{
	check_processes(t, true);
}

/* Somebody may stop it while it waits for a request. */
static void a_stopped_worker_is_replaced(struct test *t)
{
	const struct opener_settings settings = {0};
	struct opener *opener;
	struct opened_file file;
	pid_t monitor, stopped;

	REQUIRE(t, opener_start(&settings, &opener) == 0);
	CHECK_INT(t, opener_open(opener, OPENER_ELF, NOWHERE, &file), -ENOENT);
	monitor = child_of(getpid());
	stopped = child_of(monitor);
	REQUIRE(t, stopped > 0 && kill(stopped, SIGSTOP) == 0);
	CHECK_INT(t, opener_open(opener, OPENER_ELF, "/nowhere/else", &file), -ENOENT);
	CHECK(t, child_of(monitor) != stopped);
	opener_stop(opener);
}

TEST_MAIN(TEST(kills_a_monitor_that_attacks), TEST(kills_a_worker_that_attacks), TEST(its_processes_are_confined),
	  TEST(they_need_not_be), TEST(a_stopped_worker_is_replaced))
