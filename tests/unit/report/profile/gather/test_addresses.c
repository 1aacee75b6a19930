/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Addresses of the process at hand: one program at two places in memory; the rest of a stack while
 * execve replaces its program.
 */
#include <stdbool.h>

#include "format/stack_mark.h"
#include "report/profile/seam/profile.h"
#include "tests/make_events.h"
#include "tests/test.h"

enum { PROGRAM = 1, OTHER = 2 };

static const char PATH[] = TEST_FOLDER "/test_addresses.rwk";

static struct made_trace *begin(void)
{
	static const struct event_source source = {
		.id = 1, .kind = SOURCE_CPU, .weight = WEIGHT_NS, .period = 1000, .start = 10, .stop = 9000};
	struct made_trace *trace = made_trace_begin(PATH);

	made_trace_source(trace, &source, "cpu-clock");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/usr/bin/program", "0102");
	made_trace_module(trace, OTHER, MODULE_FILE, "/usr/bin/other", "0304");
	return trace;
}

static struct profile *load(struct made_trace *trace, bool each_address)
{
	const struct profile_filter filter = {.to = UINT64_MAX, .each_address = each_address};
	static const struct profile_names no_files = {0};
	const char *path = PATH;
	struct profile *profile = NULL;

	made_trace_end(trace);
	made_trace_check(profile_create(&path, 1, &filter, &no_files, &profile), "profile");
	unlink(PATH);
	return profile;
}

/* The leaf address of the first stack of a process. */
static uint64_t leaf_of(struct profile *profile, uint32_t tgid)
{
	const struct profile_entry *entries;
	size_t count = profile_entries(profile, &entries), unused;
	const struct profile_node *node = NULL;

	for (size_t i = 0; i < count && !node; i++)
		if (profile_tasks(profile, &unused)[entries[i].task].tgid == tgid)
			node = &profile_nodes(profile, &unused)[entries[i].node];
	return node ? profile_frames(profile, &unused)[node->frame].run_time_address : 0;
}

static struct made_trace *two_processes(void)
{
	static const uint64_t first[] = {0x401010, 0x401020, 0}, second[] = {0x7f1010, 0x7f1020, 0};
	struct made_trace *trace = begin();

	made_trace_map(trace, 20, 7, 0x401000, 0x2000, 0x1000, PROGRAM, 0);
	made_trace_map(trace, 20, 8, 0x7f1000, 0x2000, 0x1000, PROGRAM, 0);
	made_trace_sample(trace, &(struct made_sample){.time = 100, .tgid = 7, .tid = 7, .comm = "one", .user = first});
	made_trace_sample(trace, &(struct made_sample){.time = 200, .tgid = 8, .tid = 8,
						       .comm = "two", .user = second});
	return trace;
}

static void are_those_of_each_process(struct test *t)
{
	struct profile *profile = load(two_processes(), true);

	CHECK_INT(t, leaf_of(profile, 7), 0x401010);
	CHECK_INT(t, leaf_of(profile, 8), 0x7f1010);
	profile_destroy(profile);
}

/* If addresses are not shown, one function is one frame. */
static void are_of_no_account_unseen(struct test *t)
{
	struct profile *profile = load(two_processes(), false);
	size_t count, with_marks;

	CHECK_INT(t, leaf_of(profile, 7), leaf_of(profile, 8));
	(void)profile_frames(profile, &count);
	profile_destroy(profile);
	profile = load(two_processes(), true);
	(void)profile_frames(profile, &with_marks);
	CHECK_INT(t, with_marks, count + 2);
	profile_destroy(profile);
}

/* The module of the leaf of a stack that was taken between an exec and its first mapping. */
static const char *module_in_exec(const uint64_t *user)
{
	static char name[64];
	struct made_trace *trace = begin();
	const struct profile_entry *entries;
	struct profile *profile;
	size_t unused;

	made_trace_map(trace, 20, 7, 0x401000, 0x2000, 0x1000, PROGRAM, 0);
	made_trace_exec(trace, 1000, 7, "other");
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "x", .user = user});
	made_trace_map(trace, 3000, 7, 0x501000, 0x2000, 0x1000, OTHER, 0);
	profile = load(trace, false);
	name[0] = '\0';
	if (profile_entries(profile, &entries) == 1)
		(void)snprintf(name, sizeof(name), "%s",
			       profile_modules(profile, &unused)[profile_frames(profile, &unused)[profile_nodes(
									 profile,
									 &unused)[entries[0].node].frame].module].name);
	profile_destroy(profile);
	return name;
}

static void are_of_the_old_program_in_an_exec(struct test *t)
{
	CHECK_STR(t, module_in_exec((const uint64_t[]){0x401010, 0}), "program");
	/* As it was unwound and condensed. */
	CHECK_STR(t, module_in_exec((const uint64_t[]){0x401010, stack_mark_address(MARK_CLEAN), 0}), "program");
	/* A stack with callers is not such a stack. */
	CHECK_STR(t, module_in_exec((const uint64_t[]){0x401010, 0x401020, 0}), "[unknown]");
}

TEST_MAIN(TEST(are_those_of_each_process), TEST(are_of_no_account_unseen),
	  TEST(are_of_the_old_program_in_an_exec))
