/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/progress.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

static void says_where_it_stands(struct test *t)
{
	char line[80];

	progress_format(line, sizeof(line), "lines of", "libfoo.so.1", 43, 100);
	CHECK_STR(t, line, "lines of libfoo.so.1: 43%");
	progress_format(line, sizeof(line), "names", "libfoo.so.1", 0, 0);
	CHECK_STR(t, line, "names libfoo.so.1");
	progress_format(line, sizeof(line), "copying", NULL, 999, 1000);
	CHECK_STR(t, line, "copying: 99%");
	progress_format(line, sizeof(line), "copying", NULL, 7, 5);
	CHECK_STR(t, line, "copying: 100%");
	progress_format(line, sizeof(line), "reading", "\033[2J\n", UINT64_MAX / 2, UINT64_MAX);
	CHECK_STR(t, line, "reading \\x1b[2J\\x0a: 50%");
}

static int disposition(void)
{
	struct sigaction now;

	if (sigaction(SIGINT, NULL, &now) < 0)
		return -1;
	return now.sa_handler == SIG_DFL ? 0 : now.sa_handler == SIG_IGN ? 1 : 2;
}

static void notes_the_first(struct test *t)
{
	struct progress progress;

	progress_init(&progress);
	progress_enter(&progress);
	progress_enter(&progress);
	CHECK_INT(t, disposition(), 2);
	CHECK(t, !progress_stopped(&progress));
	progress_leave(&progress);
	CHECK_INT(t, disposition(), 2);
	(void)raise(SIGINT);
	CHECK_INT(t, disposition(), 0);
	CHECK(t, progress_step(&progress, "reading", NULL, 1, 2));
	CHECK(t, progress_stopped(&progress));
	progress_leave(&progress);
	progress_enter(&progress);
	CHECK_INT(t, disposition(), 0); /* the next one is no longer ours */
	CHECK(t, progress_stopped(&progress));
	progress_leave(&progress);
}

static void notes_the_last_moment(struct test *t)
{
	struct progress progress;

	progress_init(&progress);
	progress_enter(&progress);
	(void)raise(SIGINT);
	progress_leave(&progress);
	CHECK(t, progress_stopped(&progress));
}

static void leaves_it_as_it_was(struct test *t)
{
	struct progress progress;

	progress_init(&progress);
	progress_enter(&progress);
	progress_leave(&progress);
	CHECK_INT(t, disposition(), 0);
	CHECK(t, !progress_stopped(&progress));
	(void)signal(SIGINT, SIG_IGN);
	progress_enter(&progress);
	(void)raise(SIGINT);
	CHECK(t, !progress_stopped(&progress));
	progress_leave(&progress);
	CHECK_INT(t, disposition(), 1);
	(void)signal(SIGINT, SIG_DFL);
}

static void dies_of_the_second(struct test *t)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct progress progress;

		progress_init(&progress);
		progress_enter(&progress);
		(void)raise(SIGINT);
		(void)raise(SIGINT);
		_exit(0);
	}
	REQUIRE(t, child > 0 && waitpid(child, &status, 0) == child);
	CHECK(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

TEST_MAIN(TEST(says_where_it_stands), TEST(notes_the_first), TEST(notes_the_last_moment),
	  TEST(leaves_it_as_it_was), TEST(dies_of_the_second))
