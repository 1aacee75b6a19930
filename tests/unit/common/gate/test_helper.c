/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One helper: how long it is waited for if it does not answer: a blocked one, and one that only
 * waits for a CPU. Defines the spawner's functions.
 */
#include "common/gate/helper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/gate/packet.h"
#include "common/time_units.h"
#include "tests/test.h"

enum { DEADLINE = 200, BUSY = 2000 };

struct spawner {
	pid_t left; /* the last one */
};

const struct helper_kind *spawner_kind(const struct spawner *spawner, unsigned int kind)
{
	static const struct helper_kind own = {.deadline_ms = DEADLINE, .busy_ms = BUSY};

	(void)spawner, (void)kind;
	return &own;
}

int spawner_start(struct spawner *spawner, unsigned int kind, int *ret_socket, pid_t *ret_pid)
{
	(void)spawner, (void)kind, (void)ret_socket, (void)ret_pid;
	return -EAGAIN;
}

void spawner_leave(struct spawner *spawner, pid_t pid)
{
	spawner->left = pid;
}

/* A process that only runs, or is stopped. */
static pid_t begin_helper(struct test *t, bool runs)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (volatile bool on = true; on;)
			;
	}
	if (!test_check(t, pid > 0, "no child"))
		return 0;
	CHECK(t, runs || (!kill(pid, SIGSTOP) && waitpid(pid, NULL, WUNTRACED) == pid));
	return pid;
}

static void end_helper(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* What it returns for a helper that was asked so long ago, and whether it gives it up. */
static ssize_t take_after(struct test *t, pid_t pid, unsigned int passed_ms, bool answers, bool *ret_open)
{
	struct spawner spawner = {0};
	struct helper helper = {.spawner = &spawner, .pid = pid, .busy = 1,
					 .since = clock_now(CLOCK_MONOTONIC) - passed_ms * MILLISECOND};
	int ends[2], bytes = 7;
	ssize_t got;

	if (!test_check(t, !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "no sockets"))
		return -1;
	helper.socket = ends[0];
	if (answers)
		CHECK_INT(t, packet_send(ends[1], &bytes, sizeof(bytes), -1), 0);
	got = helper_take(&helper, &bytes, sizeof(bytes), 0, NULL);
	*ret_open = helper.socket >= 0;
	CHECK_INT(t, helper.stuck, !*ret_open);
	CHECK_INT(t, spawner.left, *ret_open ? 0 : pid);
	helper_close(&helper);
	(void)close(ends[1]);
	return got;
}

static void one_that_is_blocked_is_given_up(struct test *t)
{
	pid_t pid = begin_helper(t, false);
	bool open;

	CHECK_INT(t, take_after(t, pid, DEADLINE / 2, false, &open), 0);
	CHECK(t, open);
	CHECK_INT(t, take_after(t, pid, DEADLINE * 2, false, &open), -ETIMEDOUT);
	CHECK(t, !open);
	CHECK_INT(t, take_after(t, pid, DEADLINE * 2, true, &open), sizeof(int)); /* it has answered, if late */
	CHECK(t, open);
	end_helper(pid);
}

static void one_that_waits_for_a_cpu_is_waited_for(struct test *t)
{
	pid_t pid = begin_helper(t, true);
	bool open;

	CHECK_INT(t, take_after(t, pid, DEADLINE * 2, false, &open), 0);
	CHECK(t, open);
	CHECK_INT(t, take_after(t, pid, BUSY + 1, false, &open), -ETIMEDOUT);
	CHECK(t, !open);
	end_helper(pid);
}

/* It would be waited for as long as its caller says, if it were not stopped. */
static void one_that_is_stopped_is_given_up_at_once(struct test *t)
{
	pid_t pid = begin_helper(t, false);
	const uint64_t begun = clock_now(CLOCK_MONOTONIC);
	struct helper helper = {.pid = pid};
	int ends[2], bytes;

	REQUIRE(t, !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
	helper.socket = ends[0];
	CHECK_INT(t, helper_receive(&helper, &bytes, sizeof(bytes), 3600000, NULL), -ETIMEDOUT);
	CHECK(t, clock_now(CLOCK_MONOTONIC) - begun >= DEADLINE * MILLISECOND);
	(void)close(ends[0]);
	(void)close(ends[1]);
	end_helper(pid);
}

TEST_MAIN(TEST(one_that_is_blocked_is_given_up), TEST(one_that_waits_for_a_cpu_is_waited_for),
	  TEST(one_that_is_stopped_is_given_up_at_once))
