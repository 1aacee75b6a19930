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

/* The share is what changes: a long name is shortened to make room for it. */
static void fits(struct test *t)
{
	char line[80], name[200];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	progress_format(line, 24, "reading", name, 1, 2);
	CHECK_STR(t, line, "reading nnnnnnnnnn: 50%");
	progress_format(line, 5, "reading", name, 1, 2);
	CHECK_STR(t, line, "read"); /* no room for the share */
	progress_format(line, 1, "reading", name, 1, 2);
	CHECK_STR(t, line, "");
	progress_format(line, sizeof(line), "reading", name, 0, 0);
	CHECK_INT(t, strlen(line), strlen("reading ") + 63);
}

static void without_one(struct test *t)
{
	progress_enter(NULL);
	CHECK(t, !progress_step(NULL, "reading", NULL, 1, 2));
	CHECK(t, !progress_stopped(NULL));
	progress_resume(NULL);
	progress_leave(NULL);
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

static void goes_on(struct test *t)
{
	struct progress progress;

	progress_init(&progress);
	progress_enter(&progress);
	(void)raise(SIGINT);
	progress_resume(&progress);
	CHECK(t, !progress_stopped(&progress));
	CHECK_INT(t, disposition(), 2);
	(void)raise(SIGINT);
	CHECK(t, progress_stopped(&progress));
	progress_leave(&progress);
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

TEST_MAIN(TEST(says_where_it_stands), TEST(fits), TEST(without_one), TEST(notes_the_first), TEST(notes_the_last_moment),
	  TEST(leaves_it_as_it_was), TEST(goes_on), TEST(dies_of_the_second))
