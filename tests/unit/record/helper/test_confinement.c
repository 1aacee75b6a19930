/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's filter of system calls, in a process of its own that gives up its privileges as
 * the recorder does: each attack fails as an unknown call and is counted, the process lives on, and
 * what a recording needs still works.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/sanitized.h"
#include "record/helper/confinement.h"
#include "record/machine/requirements.h"
#include "tests/test.h"
#include "tests/unit/attacks.h"

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

static const struct attack NEEDED[] = {
	{"look up", SYS_bpf, {BPF_MAP_LOOKUP_ELEM, 0, 0}},
	{"a ring for another CPU", SYS_bpf, {BPF_MAP_CREATE, 0, 0}},
	{"look at tasks", SYS_bpf, {BPF_ITER_CREATE, 0, 0}},
	{"stop an event", SYS_ioctl, {NO_FILE, PERF_EVENT_IOC_DISABLE, 0}},
	{"an event", SYS_perf_event_open, {0, 0, 0, 0, 0}},
	{"end a helper", SYS_kill, {NO_PROCESS, SIGKILL}},
	{"cut a chunk off", SYS_ftruncate, {NO_FILE, 0}},
	{"a size", SYS_fallocate, {NO_FILE, 0, 0, 0}},
	{"memory", SYS_mmap, {0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
};

static int needed_calls_pass(const struct confinement *confinement)
{
	int first, bad = 0;

	for (size_t i = 0; i < sizeof(NEEDED) / sizeof(NEEDED[0]); i++) {
		long result = attack_run(&NEEDED[i]);

		if (result == -ENOSYS) {
			(void)printf("# '%s' is refused\n", NEEDED[i].name);
			bad = 1;
		}
	}
	(void)fflush(stdout);
	return bad || confinement_refused(confinement, &first) || access("/proc/self/stat", R_OK) ||
	       open("/proc/version", O_RDONLY) < 0;
}

static void allows_what_a_recording_needs(struct test *t)
{
	confined(t, needed_calls_pass);
}

TEST_MAIN(TEST(refuses_and_counts_every_attack), TEST(allows_what_a_recording_needs))
