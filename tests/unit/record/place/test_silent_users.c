/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Users in whose files a helper got stuck, as processes that have become them. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/place/silent_users.h"
#include "tests/test.h"

/* A process of that user, which waits to be ended. */
static pid_t process_of(uid_t user)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || setresuid(user, user, user) || prctl(PR_SET_DUMPABLE, 1) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			(void)pause();
	}
	(void)close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1)
		pid = -1;
	(void)close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void knows_the_user_of_a_process(struct test *t)
{
	struct silent_users silent = {0};
	pid_t one, same, other;

	if (geteuid())
		SKIP(t, "needs root");
	one = process_of(65533);
	same = process_of(65533);
	other = process_of(65532);
	REQUIRE(t, one > 0 && same > 0 && other > 0);
	CHECK(t, !silent_users_has(&silent, (uint32_t)one));
	CHECK(t, silent_users_add(&silent, (uint32_t)one));
	CHECK(t, silent_users_has(&silent, (uint32_t)one) && silent_users_has(&silent, (uint32_t)same));
	CHECK(t, !silent_users_has(&silent, (uint32_t)other) && !silent_users_has(&silent, (uint32_t)getpid()));
	CHECK(t, !silent_users_add(&silent, (uint32_t)same));
	end(same);
	CHECK(t, !silent_users_has(&silent, (uint32_t)same));
	end(one);
	end(other);
}

static void takes_neither_root_nor_too_many(struct test *t)
{
	struct silent_users silent = {0};

	if (geteuid())
		SKIP(t, "needs root");
	CHECK(t, !silent_users_add(&silent, (uint32_t)getpid()) && !silent_users_add(&silent, 0));
	for (uid_t i = 0; i <= SILENT_USERS; i++) {
		pid_t pid = process_of(60000 + i);

		REQUIRE(t, pid > 0);
		CHECK(t, silent_users_add(&silent, (uint32_t)pid) == (i < SILENT_USERS));
		end(pid);
	}
}

TEST_MAIN(TEST(knows_the_user_of_a_process), TEST(takes_neither_root_nor_too_many))
