/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Marks in user stacks: which are written for an unwound chain, and what the reader makes of them. */
#include "report/profile/gather/chain_marks.h"

#include <stdbool.h>

#include "format/stack_mark.h"
#include "report/profile/seam/profile.h"
#include "tests/make_events.h"
#include "tests/test.h"
#include "tests/unit/report/account.h"

enum { PROGRAM = 2 };

#define MARK(name) (STACK_MARKS + MARK_##name)

/* --- writing --- */

static void check_nodes(struct test *t, const struct unwind_chain *chain, const uint64_t *want, size_t count)
{
	uint64_t got[RWK_MAX_PATH];
	bool cut;
	size_t written = chain_write_marks(chain, got, &cut);

	CHECK(t, !cut);
	REQUIRE(t, CHECK_INT(t, written, count));
	for (size_t i = 0; i < count; i++)
		CHECK_INT(t, got[i], want[i]);
}

static void marks_stand_where_they_belong(struct test *t)
{
	static const struct unwind_chain clean = {
		.addresses = {0x10, 0x20, 0x30},
		.how = {UNWIND_BY_REGISTERS | UNWIND_EXACT, UNWIND_BY_CFI, UNWIND_BY_FRAME_POINTER},
		.count = 3,
		.stop = UNWIND_CLEAN,
	};
	static const struct unwind_chain signal = {
		.addresses = {0x10, 0x20, 0x30, 0x40},
		.how = {UNWIND_BY_REGISTERS, UNWIND_BY_CFI, UNWIND_BY_CFI | UNWIND_EXACT, UNWIND_BY_OUTER_RECORD},
		.count = 4,
		.stop = UNWIND_BAD_RETURN,
	};
	static const struct unwind_chain tail = {
		.addresses = {0x10, 0x20, 0x30},
		.how = {UNWIND_BY_REGISTERS, UNWIND_BY_TAIL, UNWIND_BY_TAIL},
		.count = 3,
		.stop = UNWIND_TRUNCATED,
	};
	static const struct unwind_chain leaf = {.addresses = {0x10}, .count = 1, .stop = UNWIND_NO_CFI};
	static const uint64_t clean_nodes[] = {0x10, 0x20, 0x30, MARK(CLEAN)};
	static const uint64_t signal_nodes[] = {0x10, 0x20, 0x30, MARK(EXACT), MARK(CALLER_UNKNOWN), 0x40,
						MARK(BAD_RETURN)};
	static const uint64_t tail_nodes[] = {0x10, MARK(TAIL), 0x20, 0x30, MARK(CONTINUED)};
	static const uint64_t leaf_nodes[] = {0x10, MARK(NO_CFI)};

	check_nodes(t, &clean, clean_nodes, 4);
	check_nodes(t, &signal, signal_nodes, 7);
	check_nodes(t, &tail, tail_nodes, 5);
	check_nodes(t, &leaf, leaf_nodes, 2);
}

/* 1024 frames fit with 64 marks, and no more: beyond that, the root end is dropped. */
static void no_path_is_too_long(struct test *t)
{
	static struct unwind_chain chain = {.count = UNWIND_DEPTH, .stop = UNWIND_TOO_DEEP};
	static uint64_t nodes[RWK_MAX_PATH];
	bool cut;

	for (size_t i = 0; i < UNWIND_DEPTH; i++) {
		chain.addresses[i] = 0x1000 + i;
		chain.how[i] = UNWIND_BY_CFI | (i && i < 64 ? UNWIND_EXACT : 0);
	}
	CHECK_INT(t, chain_write_marks(&chain, nodes, &cut), RWK_MAX_PATH);
	CHECK(t, !cut);
	CHECK_INT(t, nodes[RWK_MAX_PATH - 1], MARK(TOO_DEEP));
	CHECK_INT(t, nodes[RWK_MAX_PATH - 2], 0x1000 + UNWIND_DEPTH - 1);
	chain.how[64] |= UNWIND_EXACT;
	chain.stop = UNWIND_CLEAN;
	CHECK_INT(t, chain_write_marks(&chain, nodes, &cut), RWK_MAX_PATH);
	CHECK(t, cut);
	CHECK_INT(t, nodes[RWK_MAX_PATH - 1], MARK(TOO_DEEP));
	CHECK_INT(t, nodes[RWK_MAX_PATH - 2], 0x1000 + UNWIND_DEPTH - 2);
}

/* --- reading --- */

static const char PATH[] = TEST_FOLDER "/test_chain_marks.rwk";

/* A profile of one sample with this stack, leaf first, ending with 0; program mapped at 0x400000. */
static struct profile *profile_of(const uint64_t *user, uint32_t snapshot)
{
	static const struct profile_filter everything = {.to = UINT64_MAX};
	static const struct profile_names no_files = {0};
	const struct event_source source = {
		.id = 1, .kind = SOURCE_CPU, .weight = WEIGHT_NS, .period = 1000, .start = 10, .stop = 5000};
	struct event_sample sample = {.time = 20, .source = 1, .snapshot = snapshot};
	struct event_stacks stacks = {.user = user, .user_count = made_count(user)};
	struct event_task task = made_task(7, 7, 1, "program");
	struct made_trace *trace = made_trace_begin(PATH);
	const char *path = PATH;
	struct profile *profile;

	made_trace_meta(trace, "machine", "x86_64");
	made_trace_source(trace, &source, "cpu-clock");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/usr/bin/program", "0102");
	made_trace_map(trace, 5, 7, 0x400000, 0x10000, 0, PROGRAM, 0);
	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &stacks), "sample");
	made_trace_end(trace);
	made_trace_check(profile_create(&path, 1, &everything, &no_files, &profile), "profile");
	return profile;
}

/*
 * "frame frame ...", root first: an address, followed by "!" if it is not a return address; a note
 * by its number, as "n3".
 */
static void check_chain(struct test *t, const uint64_t *user, const char *want, const char *line)
{
	struct profile *profile = profile_of(user, 0);
	const struct profile_entry *entries;
	size_t count, depth = 0, used = 0;
	const struct profile_node *nodes = profile_nodes(profile, &count);
	const struct profile_frame *frames = profile_frames(profile, &count);
	uint32_t path[64];
	char text[256] = "";

	CHECK_INT(t, profile_entries(profile, &entries), 1);
	for (uint32_t node = entries[0].node; node; node = nodes[node].parent)
		path[depth++] = nodes[node].frame;
	while (depth) {
		const struct profile_frame *frame = &frames[path[--depth]];

		if (frame->note)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "n%d ", frame->note);
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%llx%s ",
						 (unsigned long long)frame->run_time_address, frame->caller ? "" : "!");
	}
	CHECK_STR(t, text, want);
	if (line)
		test_check(t, account_has(profile, line, NULL), "the account does not say \"%s\"", line);
	else
		test_check(t, !account_has(profile, "unwound stack", NULL), "the account speaks of unwinding");
	CHECK(t, !account_has(profile, "trimmed", NULL));
	profile_destroy(profile);
}

static void notes_come_of_marks(struct test *t)
{
	check_chain(t, (uint64_t[]){0x400010, 0x400020, 0x400030, MARK(CLEAN), 0}, "400030 400020 400010! ", NULL);
	check_chain(t, (uint64_t[]){0x400010, 0x400020, MARK(TRUNCATED), 0}, "n1 400020 400010! ",
		    "1 unwound stack (100.0%) cut where their copy ends");
	check_chain(t, (uint64_t[]){0x400010, 0x400020, MARK(NO_CFI), 0}, "n2 400020 400010! ",
		    "1 unwound stack (100.0%) ending in code without unwind information");
	check_chain(t, (uint64_t[]){0x400010, MARK(BAD_RETURN), 0}, "n3 400010! ",
		    "1 unwound stack (100.0%) ending at an address that is not code");
	check_chain(t, (uint64_t[]){0x400010, MARK(TOO_DEEP), 0}, "n4 400010! ",
		    "1 unwound stack (100.0%) cut at the depth limit");
	check_chain(t, (uint64_t[]){0x400010, MARK(TAIL), 0x400020, MARK(CONTINUED), 0}, "400020 n5 400010! ",
		    "1 unwound stack (100.0%) with callers by frame pointer beyond their copy");
	check_chain(t, (uint64_t[]){0x400010, MARK(CALLER_UNKNOWN), 0x400020, MARK(CLEAN), 0}, "400020 n9 400010! ",
		    "1 unwound stack (100.0%) with a caller by frame pointer of a function that may have none");
}

static void frames_of_signals_are_no_callers(struct test *t)
{
	check_chain(t, (uint64_t[]){0x400010, 0x400020, 0x400030, MARK(EXACT), 0x400040, MARK(CLEAN), 0},
		    "400040 400030! 400020 400010! ", NULL);
}

/* Addresses in no mapping at the root end are garbage from frame pointers, but not if the chain was unwound. */
static void unwound_chains_are_not_trimmed(struct test *t)
{
	check_chain(t, (uint64_t[]){0x400010, 0x900020, MARK(CLEAN), 0}, "900020 400010! ", NULL);
}

static void what_makes_no_sense_does_no_harm(struct test *t)
{
	check_chain(t, (uint64_t[]){MARK(EXACT), 0x400020, MARK(CLEAN), 0}, "400020 ", NULL);
	check_chain(t, (uint64_t[]){0x400010, STACK_MARKS + 255, 0x400020, MARK(CLEAN), 0}, "400020 400010! ", NULL);
	check_chain(t, (uint64_t[]){0x400010, STACK_MARKS + 255, 0}, "400010! ", NULL);
	check_chain(t, (uint64_t[]){MARK(CLEAN), 0}, "", NULL);
}

static void missing_snapshots_are_told(struct test *t)
{
	static const uint64_t user[] = {0x400010, 0x400020, 0};
	struct profile *profile = profile_of(user, 5);

	CHECK(t, account_has(profile, "1 user stack by frame pointer only, without a snapshot in the trace", NULL));
	profile_destroy(profile);
}

/* --- addresses --- */

/*
 * Addresses of the process at hand: one program at two places in memory; the rest of a stack while
 * execve replaces its program.
 */

enum { A_PROGRAM = 1, OTHER = 2 };

static const char ADDRESSES[] = TEST_FOLDER "/test_addresses.rwk";

static struct made_trace *begin_addresses(void)
{
	static const struct event_source source = {
		.id = 1, .kind = SOURCE_CPU, .weight = WEIGHT_NS, .period = 1000, .start = 10, .stop = 9000};
	struct made_trace *trace = made_trace_begin(ADDRESSES);

	made_trace_source(trace, &source, "cpu-clock");
	made_trace_module(trace, A_PROGRAM, MODULE_FILE, "/usr/bin/program", "0102");
	made_trace_module(trace, OTHER, MODULE_FILE, "/usr/bin/other", "0304");
	return trace;
}

static struct profile *load_addresses(struct made_trace *trace, bool each_address)
{
	const struct profile_filter filter = {.to = UINT64_MAX, .each_address = each_address};
	static const struct profile_names no_files = {0};
	const char *path = ADDRESSES;
	struct profile *profile = NULL;

	made_trace_end(trace);
	made_trace_check(profile_create(&path, 1, &filter, &no_files, &profile), "profile");
	unlink(ADDRESSES);
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
	struct made_trace *trace = begin_addresses();

	made_trace_map(trace, 20, 7, 0x401000, 0x2000, 0x1000, A_PROGRAM, 0);
	made_trace_map(trace, 20, 8, 0x7f1000, 0x2000, 0x1000, A_PROGRAM, 0);
	made_trace_sample(trace, &(struct made_sample){.time = 100, .tgid = 7, .tid = 7, .comm = "one", .user = first});
	made_trace_sample(trace, &(struct made_sample){.time = 200, .tgid = 8, .tid = 8,
						       .comm = "two", .user = second});
	return trace;
}

static void are_those_of_each_process(struct test *t)
{
	struct profile *profile = load_addresses(two_processes(), true);

	CHECK_INT(t, leaf_of(profile, 7), 0x401010);
	CHECK_INT(t, leaf_of(profile, 8), 0x7f1010);
	profile_destroy(profile);
}

/* If addresses are not shown, one function is one frame. */
static void are_of_no_account_unseen(struct test *t)
{
	struct profile *profile = load_addresses(two_processes(), false);
	size_t count, with_marks;

	CHECK_INT(t, leaf_of(profile, 7), leaf_of(profile, 8));
	(void)profile_frames(profile, &count);
	profile_destroy(profile);
	profile = load_addresses(two_processes(), true);
	(void)profile_frames(profile, &with_marks);
	CHECK_INT(t, with_marks, count + 2);
	profile_destroy(profile);
}

/* The module of the leaf of a stack that was taken between an exec and its first mapping. */
static const char *module_in_exec(const uint64_t *user)
{
	static char name[64];
	struct made_trace *trace = begin_addresses();
	const struct profile_entry *entries;
	struct profile *profile;
	size_t unused;

	made_trace_map(trace, 20, 7, 0x401000, 0x2000, 0x1000, A_PROGRAM, 0);
	made_trace_exec(trace, 1000, 7, "other");
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "x", .user = user});
	made_trace_map(trace, 3000, 7, 0x501000, 0x2000, 0x1000, OTHER, 0);
	profile = load_addresses(trace, false);
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

TEST_MAIN(TEST(marks_stand_where_they_belong), TEST(no_path_is_too_long),
	  TEST(notes_come_of_marks), TEST(frames_of_signals_are_no_callers),
	  TEST(unwound_chains_are_not_trimmed), TEST(what_makes_no_sense_does_no_harm),
	  TEST(missing_snapshots_are_told), TEST(are_those_of_each_process),
	  TEST(are_of_no_account_unseen), TEST(are_of_the_old_program_in_an_exec))
