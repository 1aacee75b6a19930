/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* With another user's rights a helper still ends with the recorder, and nobody may look into it. */
#include "record/helper/rights.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/helper/jail.h"
#include "tests/test.h"

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

TEST_MAIN(TEST(ends_with_its_parent))
