/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/helper_channel.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/packet.h"
#include "common/process_state.h"
#include "common/time_units.h"
#include "record/helper/jail.h"
#include "record/helper/rights.h"
#include "record/machine/clocks.h"
#include "record/plan/deadlines.h"
#include "tests/test.h"

/*
 * Helper channel: How long the channel waits for a helper that does not answer: a blocked one,
 * and one that only waits for a CPU. Defines the nursery's functions.
 */

struct nursery {
	pid_t left; /* the last one */
};

int nursery_spawn(struct nursery *nursery, enum helper_kind kind, int *ret_socket, pid_t *ret_pid)
{
	(void)nursery, (void)kind, (void)ret_socket, (void)ret_pid;
	return -EAGAIN;
}

void nursery_leave(struct nursery *nursery, pid_t pid)
{
	nursery->left = pid;
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
	CHECK(t, process_is_runnable(pid) == runs);
	return pid;
}

static void end_helper(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* What the channel returns for a helper that was asked so long ago, and whether it gives it up. */
static ssize_t take_after(struct test *t, pid_t pid, unsigned int passed_ms, bool answers, bool *ret_open)
{
	struct nursery nursery = {0};
	struct helper_channel channel = {.nursery = &nursery, .pid = pid, .busy = 1,
					 .since = clocks_now() - passed_ms * MILLISECOND};
	int ends[2], bytes = 7;
	ssize_t got;

	if (!test_check(t, !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), "no sockets"))
		return -1;
	channel.socket = ends[0];
	if (answers)
		CHECK_INT(t, packet_send(ends[1], &bytes, sizeof(bytes), -1), 0);
	got = helper_channel_take(&channel, &bytes, sizeof(bytes), 0, NULL);
	*ret_open = channel.socket >= 0;
	CHECK_INT(t, channel.stuck, !*ret_open);
	CHECK_INT(t, nursery.left, *ret_open ? 0 : pid);
	helper_channel_close(&channel);
	(void)close(ends[1]);
	return got;
}

static void one_that_is_blocked_is_given_up(struct test *t)
{
	pid_t pid = begin_helper(t, false);
	bool open;

	CHECK_INT(t, take_after(t, pid, DEADLINE_PROCESS / 2, false, &open), 0);
	CHECK(t, open);
	CHECK_INT(t, take_after(t, pid, DEADLINE_PROCESS * 2, false, &open), -1);
	CHECK(t, !open);
	CHECK_INT(t, take_after(t, pid, DEADLINE_PROCESS * 2, true, &open), sizeof(int)); /* it has answered, if late */
	CHECK(t, open);
	end_helper(pid);
}

static void one_that_waits_for_a_cpu_is_waited_for(struct test *t)
{
	pid_t pid = begin_helper(t, true);
	bool open;

	CHECK_INT(t, take_after(t, pid, DEADLINE_PROCESS * 2, false, &open), 0);
	CHECK(t, open);
	CHECK_INT(t, take_after(t, pid, DEADLINE_BUSY + 1, false, &open), -1);
	CHECK(t, !open);
	end_helper(pid);
	CHECK(t, !process_is_runnable(pid)); /* no such process */
}

/* It would be waited for as long as its caller says, if it were not stopped. */
static void one_that_is_stopped_is_given_up_at_once(struct test *t)
{
	pid_t pid = begin_helper(t, false);
	const uint64_t begun = clocks_now();
	int ends[2], bytes;

	REQUIRE(t, !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
	CHECK_INT(t, helper_receive(ends[0], pid, &bytes, sizeof(bytes), 3600000, NULL), -ETIMEDOUT);
	CHECK(t, clocks_now() - begun >= DEADLINE_PROCESS * MILLISECOND);
	(void)close(ends[0]);
	(void)close(ends[1]);
	end_helper(pid);
}

/*
 * Rights: With another user's rights a helper still ends with the recorder, and nobody may look
 * into it.
 */

enum { SOMEBODY = 65533 };

static bool is_bound(void)
{
	int signal = 0;

	return !prctl(PR_GET_PDEATHSIG, &signal) && signal == SIGKILL && !prctl(PR_GET_DUMPABLE);
}

/* The number of the step that failed, 0: none. */
static int become_and_return(void)
{
	struct rights rights = rights_of_user(SOMEBODY, SOMEBODY);

	if (jail_renew() || !is_bound())
		return 1;
	if (rights_enter(&rights))
		return 2;
	if (!is_bound())
		return 3;
	if (rights_leave(&rights))
		return 4;
	return is_bound() ? 0 : 5;
}

static void ends_with_its_parent(struct test *t)
{
	int status;
	pid_t pid;

	if (geteuid())
		SKIP(t, "needs root");
	pid = fork();
	REQUIRE(t, pid >= 0);
	if (!pid)
		_exit(become_and_return());
	REQUIRE(t, waitpid(pid, &status, 0) == pid);
	CHECK_INT(t, WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

TEST_MAIN(TEST(one_that_is_blocked_is_given_up), TEST(one_that_waits_for_a_cpu_is_waited_for),
	  TEST(one_that_is_stopped_is_given_up_at_once), TEST(ends_with_its_parent))
