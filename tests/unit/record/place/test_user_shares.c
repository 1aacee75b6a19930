/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Shares of a table: one user takes no other user's room, root may take the rest; and whose a process is. */
#include "record/place/user_shares.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

enum { ROOM = 1000, VILLAIN = 65533, HONEST = 1000, CHILD_USER = 4242 };

static uint64_t fill(struct user_shares *shares, uint32_t uid)
{
	uint64_t count = 0;

	while (user_shares_take(shares, uid, 1))
		count++;
	return count;
}

static void one_user_leaves_room_for_the_others(struct test *t)
{
	struct user_shares shares = {.room = ROOM};

	CHECK_INT(t, fill(&shares, VILLAIN), ROOM / 2);
	CHECK_INT(t, fill(&shares, USER_UNKNOWN), ROOM / 4);
	CHECK_INT(t, fill(&shares, HONEST), ROOM / 8);
	CHECK_INT(t, fill(&shares, 0), ROOM - ROOM / 2 - ROOM / 4 - ROOM / 8);
	user_shares_give(&shares, VILLAIN, 400);
	CHECK_INT(t, fill(&shares, VILLAIN), 150); /* has 250, as much as is left */
	user_shares_clear(&shares);
	CHECK(t, user_shares_take(&shares, HONEST, ROOM / 2) && !user_shares_take(&shares, HONEST, 1));
}

/* A process that is not dumpable has a folder of root's in /proc. */
static void a_process_has_its_real_user(struct test *t)
{
	if (geteuid())
		SKIP(t, "needs root");

	struct process_users users = {0};
	int ready[2];
	char byte;
	pid_t pid;

	REQUIRE(t, !pipe(ready));
	pid = fork();
	if (!pid) {
		if (setresuid(CHILD_USER, CHILD_USER, CHILD_USER) || prctl(PR_SET_DUMPABLE, 0) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			(void)pause();
	}
	CHECK_INT(t, read(ready[0], &byte, 1), 1);
	CHECK_INT(t, process_user(&users, (uint32_t)pid), CHILD_USER);
	CHECK_INT(t, process_user(&users, (uint32_t)getpid()), 0);
	CHECK_INT(t, process_user(&users, 0), 0);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	(void)usleep(150000); /* the answer is valid for a moment */
	CHECK_INT(t, process_user(&users, (uint32_t)pid), USER_UNKNOWN);
}

TEST_MAIN(TEST(one_user_leaves_room_for_the_others), TEST(a_process_has_its_real_user))
