/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the recorder and its helpers may do, from inside and from outside: what /proc says about helpers that the spawner forked
 * is compared with capabilities written here as the numbers of capabilities(7); each attack, and each call that only another
 * helper needs, must kill a helper, and fail in the recorder, which counts it.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/gate/confine.h"
#include "record/helper/confinement.h"
#include "record/helper/helpers.h"
#include "record/host/requirements.h"
#include "tests/test.h"
#include "tests/unit/attacks.h"

/* The kernel needs no more for /proc/PID/maps than CAP_SYS_PTRACE (19), ... */
static const struct {
	const char *name;
	unsigned long long capabilities;
} WANTED[HELPER_KINDS] = {
	[HELPER_MAPS] = {"maps", 1ull << 19},
	/* DAC_READ_SEARCH, SETGID, SETUID, SYS_PTRACE, CHECKPOINT_RESTORE */
	[HELPER_OPENER] = {"opener", 1ull << 2 | 1ull << 6 | 1ull << 7 | 1ull << 19 | 1ull << 40},
	[HELPER_ELF] = {"ELF", 0},
	/* DAC_READ_SEARCH, for /proc/PID/pagemap; SYS_PTRACE */
	[HELPER_ITERATOR] = {"iterator", 1ull << 2 | 1ull << 19},
	/* SYS_ADMIN, PERFMON */
	[HELPER_PERF_OPEN] = {"perf-open", 1ull << 21 | 1ull << 38},
};

#define NEEDS_FILTER(t)                                                                                               \
	do {                                                                                                          \
		if (geteuid())                                                                                        \
			SKIP(t, "needs root");                                                                        \
		if (sanitized_build())                                                                                \
			SKIP(t, "a build with sanitizers has no filter");                                             \
	} while (0)

/* --- from outside --- */

/* The rest of a process's line "NAME:\t..." in /proc/PID/`file`, or "". */
static void line_of(pid_t pid, const char *file, const char *name, char *text, size_t room)
{
	char path[64], line[256];
	FILE *stream;

	text[0] = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	stream = fopen(path, "r");
	while (stream && fgets(line, sizeof(line), stream))
		if (!strncmp(line, name, strlen(name)) && strchr(": ", line[strlen(name)])) {
			line[strcspn(line, "\n")] = '\0';
			(void)snprintf(text, room, "%s", line + strlen(name) + strspn(line + strlen(name), ": \t"));
		}
	if (stream)
		(void)fclose(stream);
}

static unsigned long long number_of(pid_t pid, const char *name, int base)
{
	char text[256];

	line_of(pid, "status", name, text, sizeof(text));
	return *text ? strtoull(text, NULL, base) : ~0ull;
}

/* It is in its jail once it has a filter of its own on top of the spawner's. */
static bool await_jail(pid_t pid)
{
	for (int i = 0; i < 6000; i++) {
		if (number_of(pid, "Seccomp_filters", 10) == 2)
			return true;
		(void)usleep(10000);
	}
	return false;
}

static void check_limits(struct test *t, pid_t pid)
{
	static const char *const limits[][2] = {
		{"Max address space", "1073741824"}, {"Max open files", "16"}, {"Max core file size", "0"},
		{"Max file size", "0"},
	};
	char text[256];

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		line_of(pid, "limits", limits[i][0], text, sizeof(text));
		CHECK(t, !strncmp(text, limits[i][1], strlen(limits[i][1])) && text[strlen(limits[i][1])] == ' ');
	}
}

static void check_process(struct test *t, pid_t pid, unsigned long long capabilities)
{
	static const char *const none[] = {"CapInh", "CapBnd", "CapAmb"};
	static const char *const lines[][2] = {
		{"Uid", "4242\t65534\t65534\t65534"}, {"Gid", "4343\t65534\t65534\t65534"}, {"Groups", ""},
		{"NoNewPrivs", "1"}, {"Seccomp", "2"}};
	char text[256];

	CHECK_INT(t, number_of(pid, "CapEff", 16), capabilities);
	CHECK_INT(t, number_of(pid, "CapPrm", 16), capabilities);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		CHECK_INT(t, number_of(pid, none[i], 16), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		line_of(pid, "status", lines[i][0], text, sizeof(text));
		CHECK_STR(t, text, lines[i][1]);
	}
	check_limits(t, pid);
}

static void gives_each_helper_what_it_needs_and_no_more(struct test *t)
{
	NEEDS_FILTER(t);

	unsigned long long all = 0;
	struct spawner *spawner;
	char text[256];

	(void)setenv("SUDO_UID", "4242", 1);
	(void)setenv("SUDO_GID", "4343", 1);
	REQUIRE(t, !helpers_start(0, &spawner));
	for (unsigned int kind = 0; kind < HELPER_KINDS; kind++) {
		int socket;
		pid_t pid;

		all |= WANTED[kind].capabilities;
		if (kind == HELPER_PERF_OPEN)
			continue;
		REQUIRE(t, !spawner_start(spawner, kind, &socket, &pid));
		CHECK(t, await_jail(pid));
		check_process(t, pid, WANTED[kind].capabilities);
		CHECK_INT(t, getpriority(PRIO_PROCESS, (id_t)pid), geteuid() ? 0 : -10);
		line_of(pid, "limits", "Max processes", text, sizeof(text));
		CHECK(t, !strncmp(text, "0 ", 2));
		(void)close(socket);
	}
	check_process(t, spawner_pid(spawner), all);
	spawner_destroy(spawner);
	(void)unsetenv("SUDO_UID");
	(void)unsetenv("SUDO_GID");
}

/* --- from inside --- */

enum { SPAWNER = HELPER_PERF_OPEN }; /* as a kind: what it does itself is done in its jail */

typedef int act(const void *what);

static act *acted;
static const void *acted_on;

static int act_as_helper(int socket, const void *context)
{
	(void)socket, (void)context;
	return acted(acted_on);
}

static int act_as_spawner(const void *request, size_t size)
{
	(void)request, (void)size;
	_exit(acted(acted_on));
}

/* The status of a process of that kind that did this instead of its work: exit code 0: it returned; 9: it could not begin. */
static int in_jail(int kind, act *what, const void *on)
{
	struct helper_kind kinds[HELPER_KINDS];
	struct helper_table table = RECORD_HELPERS;
	struct spawner *spawner;
	int status = 9 << 8, socket = -1, r;
	pid_t pid = 0;

	acted = what;
	acted_on = on;
	memcpy(kinds, table.kinds, sizeof(kinds));
	table.kinds = kinds;
	kinds[kind].task = act_as_spawner;
	if (kind != SPAWNER)
		kinds[kind].run = act_as_helper;
	r = kind == SPAWNER ? spawner_create(&table, NULL, 0, &spawner) : spawner_create_here(&table, NULL, true, &spawner);
	if (r)
		return status;
	if (kind == SPAWNER)
		(void)spawner_do(spawner, SPAWNER, "", 1);
	else
		r = spawner_start(spawner, (unsigned int)kind, &socket, &pid);
	if (kind == SPAWNER)
		pid = spawner_pid(spawner);
	if (r || waitpid(pid, &status, 0) != pid)
		status = 9 << 8;
	if (socket >= 0)
		(void)close(socket);
	spawner_destroy(spawner);
	return status;
}

static int attack(const void *what)
{
	(void)attack_run(what);
	return 0;
}

static void check_killed(struct test *t, int kind, const struct attack *what)
{
	int status = in_jail(kind, attack, what);

	test_check(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "%s in the jail of %s: status %x",
		   what->name, kind == SPAWNER ? "the spawner" : WANTED[kind].name, (unsigned int)status);
}

static void kills_who_attacks(struct test *t)
{
	NEEDS_FILTER(t);

	for (int kind = 0; kind <= SPAWNER; kind++)
		for (size_t i = 0; i < ATTACK_COUNT; i++)
			if (ATTACKS[i].number != SYS_process_vm_readv || (kind != HELPER_ITERATOR && kind != SPAWNER))
				check_killed(t, kind, &ATTACKS[i]);
}

#define BIT(kind) (1u << (kind))

/* Calls that some helpers need: the others die of them. */
static const struct {
	struct attack attack;
	unsigned int allowed;
} OWN[] = {
	{{"read a file", SYS_openat, {AT_FDCWD, ADDRESS(NOWHERE), O_RDONLY}},
	 BIT(HELPER_MAPS) | BIT(HELPER_OPENER) | BIT(HELPER_ITERATOR)},
	{{"resolve a path", SYS_openat2, {AT_FDCWD, ADDRESS(NOWHERE), 0, 0}}, BIT(HELPER_OPENER)},
	{{"read a folder", SYS_getdents64, {NO_FILE, 0, 0}}, BIT(HELPER_MAPS) | BIT(HELPER_OPENER)},
	{{"files as another user", SYS_setfsuid, {0}}, BIT(HELPER_OPENER)},
	{{"read at an offset", SYS_pread64, {NO_FILE, 0, 0, 0}},
	 BIT(HELPER_ELF) | BIT(HELPER_OPENER) | BIT(HELPER_ITERATOR)},
	{{"a limit of CPU time", SYS_prlimit64, {0, 0, 0, 0}}, BIT(HELPER_ELF)},
	{{"a limit of another", SYS_prlimit64, {NO_PROCESS, 0, 0, 0}}, 0},
	{{"memory of another", SYS_process_vm_readv, {0, 0, 0, 0, 0, 0}}, BIT(HELPER_ITERATOR)},
	{{"a timer", SYS_setitimer, {0, 0, 0}}, BIT(HELPER_ITERATOR)},
	{{"an event", SYS_perf_event_open, {0, 0, 0, 0, 0}}, BIT(HELPER_PERF_OPEN)},
	{{"a child", SYS_clone, {CLONE_SIGHAND /* fails without CLONE_VM */, 0, 0, 0, 0}}, 0},
	{{"capabilities", SYS_capset, {0, 0}}, BIT(HELPER_OPENER)},
	{{"a priority", SYS_setpriority, {PRIO_PROCESS, 0, 0}}, BIT(HELPER_ELF)},
	{{"a higher priority", SYS_setpriority, {PRIO_PROCESS, 0, (unsigned long)-5}}, 0},
};

static void allows_each_helper_only_its_own_calls(struct test *t)
{
	NEEDS_FILTER(t);

	for (int kind = 0; kind <= SPAWNER; kind++)
		for (size_t i = 0; i < sizeof(OWN) / sizeof(OWN[0]); i++)
			if (OWN[i].allowed & BIT(kind))
				CHECK_INT(t, in_jail(kind, attack, &OWN[i].attack), 0);
			else if (kind != SPAWNER || !OWN[i].allowed)
				check_killed(t, kind, &OWN[i].attack);
}

#ifdef __x86_64__
/* A 32-bit program's system call. Numbers differ: 20 is getpid there, writev here. */
static int call_by_another_table(const void *nothing)
{
	long result = 20;

	(void)nothing;
	__asm__ volatile("int $0x80" : "+a"(result) : : "memory");
	return 0;
}

static int end_without_jail(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(call_by_another_table(NULL));
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static void kills_who_calls_by_another_table(struct test *t)
{
	NEEDS_FILTER(t);

	int status = end_without_jail();

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV)
		SKIP(t, "this kernel has no calls of 32-bit programs");
	status = in_jail(HELPER_ELF, call_by_another_table, NULL);
	CHECK(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}
#define OTHER_TABLE TEST(kills_who_calls_by_another_table),
#else
#define OTHER_TABLE
#endif

/* --- the end --- */

static bool is_gone(pid_t pid)
{
	for (int i = 0; i < 3000 && !kill(pid, 0); i++)
		(void)usleep(10000);
	return kill(pid, 0) && errno == ESRCH;
}

enum { PIDS = HELPER_PERF_OPEN + 1 };

/*
 * A recorder that has become the user behind sudo, without any capability, and whose helpers are
 * all stopped. It then ends them, or is killed itself.
 */
static void owner_run(int report, bool destroys)
{
	struct spawner *spawner;
	pid_t pids[PIDS];
	int socket;

	if (setenv("SUDO_UID", "4242", 1) || setenv("SUDO_GID", "4343", 1) || helpers_start(0, &spawner))
		_exit(1);
	for (unsigned int kind = 0; kind < HELPER_PERF_OPEN; kind++)
		if (spawner_start(spawner, kind, &socket, &pids[kind]))
			_exit(2);
	pids[HELPER_PERF_OPEN] = spawner_pid(spawner);
	for (int i = 0; i < PIDS; i++)
		if (kill(pids[i], SIGSTOP))
			_exit(3);
	if (setresgid(4343, 4343, 4343) || setresuid(4242, 4242, 4242))
		_exit(4);
	(void)!write(report, pids, sizeof(pids));
	if (destroys)
		spawner_destroy(spawner); /* its sockets to helpers stay open: only signals can end these */
	(void)pause();
	_exit(5);
}

static void check_ended(struct test *t, bool destroys)
{
	pid_t pids[PIDS], owner;
	int report[2], status = 0;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, !pipe(report));
	owner = fork();
	if (!owner)
		owner_run(report[1], destroys);
	(void)close(report[1]);
	REQUIRE(t, owner > 0 && read(report[0], pids, sizeof(pids)) == sizeof(pids));
	if (!destroys)
		REQUIRE(t, !kill(owner, SIGKILL));
	for (int i = 0; i < PIDS; i++)
		CHECK(t, is_gone(pids[i]));
	(void)kill(owner, SIGKILL);
	for (int i = 0; i < PIDS; i++)
		(void)kill(pids[i], SIGKILL);
	REQUIRE(t, waitpid(owner, &status, 0) == owner);
	CHECK(t, WIFSIGNALED(status));
	(void)close(report[0]);
}

static void ends_helpers_that_are_stopped(struct test *t)
{
	check_ended(t, true);
}

static void leaves_no_stopped_helper_when_killed(struct test *t)
{
	check_ended(t, false);
}

/* --- the recorder itself --- */

/* Runs a check in a confined child; false if it fails there. Its checks cannot print: t is another process's. */
static void confined(struct test *t, int (*check)(const struct confinement *confinement))
{
	int status = 0;
	pid_t pid;

	if (geteuid())
		SKIP(t, "needs root");
	if (sanitized_build())
		SKIP(t, "a build with sanitizers has no filter");
	(void)fflush(stdout);
	pid = fork();
	if (!pid) {
		const struct confinement *confinement;

		if (privileges_drop() || confinement_enter(false, &confinement))
			_exit(99);
		_exit(check(confinement));
	}
	REQUIRE(t, pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK_INT(t, status, 0);
}

static int attacks_fail(const struct confinement *confinement)
{
	int first = 0, bad = 0;

	for (size_t i = 0; i < ATTACK_COUNT; i++) {
		uint64_t before = confinement_refused(confinement, &first);
		long result = attack_run(&ATTACKS[i]);

		if (result == -ENOSYS && confinement_refused(confinement, &first) == before + 1)
			continue;
		(void)printf("# '%s' returns %ld\n", ATTACKS[i].name, result);
		bad = 1;
	}
	(void)fflush(stdout);
	return bad || first != ATTACKS[0].number;
}

static void refuses_and_counts_every_attack(struct test *t)
{
	confined(t, attacks_fail);
}

TEST_MAIN(TEST(gives_each_helper_what_it_needs_and_no_more), TEST(kills_who_attacks),
	  TEST(allows_each_helper_only_its_own_calls), OTHER_TABLE
	  TEST(ends_helpers_that_are_stopped), TEST(leaves_no_stopped_helper_when_killed),
	  TEST(refuses_and_counts_every_attack))
