/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The groups of the user behind sudo: those that an ancestor was given here, as the kernel keeps them. */
#include <grp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/machine/caller.h"
#include "tests/test.h"

enum { USER = 54321, GROUP = 54322, MORE = 5 };

/* The kernel sorts them; the primary one comes first with us. */
static const gid_t GIVEN[] = {70000, 4, 27, GROUP, 1}, FOUND[] = {GROUP, 1, 4, 27, 70000};

/* In a grandchild: the groups that are found, with room for `room`. */
static int found_below(uid_t effective, size_t room, gid_t *groups)
{
	int report[2], count = -1;
	pid_t pid;

	if (pipe(report))
		return -1;
	pid = fork();
	if (!pid) {
		pid_t inner;

		if (setgroups(MORE, GIVEN) || setresgid(GROUP, GROUP, GROUP) || setresuid(USER, effective, USER))
			_exit(1);
		inner = fork();
		if (!inner) {
			count = (int)caller_groups(USER, GROUP, groups, room);
			(void)!write(report[1], &count, sizeof(count));
			(void)!write(report[1], groups, (size_t)count * sizeof(*groups));
			_exit(0);
		}
		_exit(waitpid(inner, NULL, 0) != inner);
	}
	(void)close(report[1]);
	if (read(report[0], &count, sizeof(count)) != sizeof(count) ||
	    read(report[0], groups, (size_t)count * sizeof(*groups)) != (ssize_t)((size_t)count * sizeof(*groups)))
		count = -1;
	(void)close(report[0]);
	(void)waitpid(pid, NULL, 0);
	return count;
}

static void finds_those_of_the_ancestor(struct test *t)
{
	gid_t groups[16];

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, found_below(USER, 16, groups) == MORE);
	CHECK_MEM(t, groups, FOUND, sizeof(FOUND));
}

/* A process that acts as another user is not the user's own, and its groups may be the other user's. */
static void passes_over_who_acts_as_another(struct test *t)
{
	gid_t groups[16];

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, found_below(USER + 1, 16, groups) == 1);
	CHECK_INT(t, groups[0], GROUP);
}

TEST_MAIN(TEST(finds_those_of_the_ancestor), TEST(passes_over_who_acts_as_another))
