/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Waits through the seam: related records are joined across chunks, weights and filters are those of the recording. */
#include <fcntl.h>
#include <stdlib.h>

#include "report/profile/seam/profile_waits.h"
#include "tests/make_events.h"
#include "tests/test.h"
#include "tests/unit/report/account.h"

enum { START = 1000, STOP = 9000, SLEEPER = 10, OTHER = 20, WAKER = 30 };
static const uint64_t REALTIME = 1700000000000000000;

static const struct profile_filter everything = {.to = UINT64_MAX};
static const struct profile_names no_files = {0};
static const uint64_t asleep[] = {1ULL << 32 | 0x110, 0},
		      calls[] = {0x401010, 0x401110, 0};

static struct made_trace *begin(char path[32])
{
	struct made_trace *trace;

	memcpy(path, "/tmp/rwalker-test-XXXXXX", 25);
	close(mkstemp(path));
	trace = made_trace_begin(path);
	made_trace_meta(trace, "hostname", "here");
	made_trace_meta(trace, "boot_id", "1-2-3");
	made_trace_source(trace, &(struct event_source){.id = 3, .kind = SOURCE_OFFCPU,
							.weight = WEIGHT_NS, .start = START,
							.stop = STOP, .least = 100}, "sched_switch");
	made_trace_source(trace, &(struct event_source){.id = 4, .kind = SOURCE_WAKERS,
							.weight = WEIGHT_NS, .start = START,
							.stop = STOP, .least = 100}, "sched_waking");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = START, .realtime = REALTIME + START, .window = 1}});
	made_trace_module(trace, 1, MODULE_KERNEL, "[kernel]", "aabb");
	made_trace_kernel_symbol(trace, 1, 0x100, 0x100, "pipe_read");
	made_trace_kernel_symbol(trace, 1, 0x200, 0x100, "pipe_write");
	made_trace_kernel_symbol(trace, 1, 0x300, 0x100, "try_to_wake_up");
	made_trace_module(trace, 2, MODULE_FILE, "/bin/app", "cc");
	made_trace_map(trace, 1, SLEEPER, 0x400000, 0x10000, 0, 2, MAPPING_INITIAL);
	return trace;
}

static struct event_task task_of(uint32_t tid)
{
	return made_task(tid, tid, 5, tid == WAKER ? "waker" : tid == SLEEPER ? "sleeper" : "other");
}

static void add_wait(struct made_trace *trace, uint32_t tid, struct event_wait wait)
{
	struct event_task task = task_of(tid), waker = task_of(WAKER);
	struct event_stacks stacks = {.kernel = asleep, .kernel_count = 1};

	wait.source = 3;
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, &waker, &stacks), "wait");
}

static void add_user_stack(struct made_trace *trace, uint32_t tid, uint64_t time, uint64_t since, uint64_t missing)
{
	struct event_task task = task_of(tid);
	struct event_stacks stacks = {.user = calls, .user_count = missing ? 0 : 2};
	struct event_user_stack record = {.source = 3, .time = time, .since = since, .missing = missing};

	made_trace_check(event_log_add_user_stack(trace->log, &record, &task, &stacks), "user stack");
}

static struct profile *load(struct test *t, const char *path, const struct profile_filter *filter)
{
	struct profile *profile = NULL;

	CHECK(t, profile_create(&path, 1, filter, &no_files, &profile) == 0);
	unlink(path);
	return profile;
}

static size_t chain_length(const struct profile *profile, uint32_t node)
{
	size_t count, length = 0;
	const struct profile_node *nodes = profile_nodes(profile, &count);

	for (; node; node = nodes[node].parent)
		length++;
	return length;
}

static void a_user_stack_is_not_for_later_waits_nor_for_others(struct test *t)
{
	const struct profile_wait *waits;
	struct made_trace *trace;
	struct profile *profile;
	char path[32];

	trace = begin(path);
	add_wait(trace, SLEEPER, (struct event_wait){.time = 2000, .length = 500, .flags = WAIT_USER_LATER});
	add_wait(trace, OTHER, (struct event_wait){.time = 2100, .length = 500, .flags = WAIT_USER_LATER});
	add_user_stack(trace, SLEEPER, 2200, 200, USER_MISSING_CHANGED);
	add_wait(trace, SLEEPER, (struct event_wait){.time = 3000, .length = 500, .flags = WAIT_USER_LATER});
	add_user_stack(trace, SLEEPER, 3100, 100, 0);
	made_trace_end(trace);
	profile = load(t, path, &everything);
	REQUIRE(t, profile_waits(profile, &waits) == 3);
	CHECK(t, chain_length(profile, waits[0].node) == 1 && waits[0].chain_flags == CHAIN_USER_MISSING);
	CHECK(t, chain_length(profile, waits[1].node) == 3 && !waits[1].chain_flags);
	CHECK(t, chain_length(profile, waits[2].node) == 1 && waits[2].chain_flags == CHAIN_USER_MISSING);
	CHECK(t, account_has(profile, "the thread continued elsewhere", NULL));
	profile_destroy(profile);
}

/* Room can be short when the wait begins, for a stack that the thread takes itself, or at the end, for a copied one. */
static void no_room_means_what_it_is_said_of(struct test *t)
{
	for (int later = 0; later < 2; later++) {
		struct event_wait wait = {.time = 3000, .length = 500, .state = 1};
		struct made_trace *trace;
		struct profile *profile;
		char path[32];

		if (later)
			wait.flags = WAIT_USER_LATER;
		else
			wait.missing = USER_MISSING_NO_ROOM;
		trace = begin(path);
		add_wait(trace, SLEEPER, wait);
		if (later)
			add_user_stack(trace, SLEEPER, 3100, 100, USER_MISSING_NO_ROOM);
		made_trace_end(trace);
		profile = load(t, path, &everything);
		CHECK(t, account_has(profile, "1 sample (100.0%) without a user stack: "
				     "it was not taken when the wait began", NULL));
		CHECK(t, !account_has(profile, "no room", NULL));
		profile_destroy(profile);
	}
}

static void weights_are_what_lies_in_the_recording(struct test *t)
{
	const struct profile_wait_totals *totals;
	const struct profile_wait *waits;
	struct profile_filter part = {.from = 3000, .to = 5000}; /* that is 4000 to 6000 */
	struct made_trace *trace;
	struct profile *profile;
	char path[32];

	for (int pass = 0; pass < 2; pass++) {
		trace = begin(path);
		add_wait(trace, SLEEPER,
			 (struct event_wait){.time = 5000, .length = 4900, .state = 2,
					     .flags = WAIT_BEGAN_BEFORE | WAIT_OUT_LATEST});
		add_wait(trace, OTHER, (struct event_wait){.time = STOP, .length = 4500, .state = 1,
							   .flags = WAIT_NOT_ENDED});
		made_trace_end(trace);
		profile = load(t, path, pass ? &part : &everything);
		REQUIRE(t, profile_waits(profile, &waits) == 2);
		CHECK_INT(t, waits[0].weight, pass ? 1000 : 4000);
		CHECK_INT(t, waits[1].weight, pass ? 1500 : 4500);
		CHECK_INT(t, waits[0].in - waits[0].out, 4900);
		CHECK_INT(t, waits[0].flags, PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_OUT_BOUND);
		CHECK_INT(t, waits[1].flags, PROFILE_WAIT_NOT_ENDED);
		totals = profile_wait_totals(profile, 0);
		REQUIRE(t, totals);
		CHECK_INT(t, totals->open.count, 2);
		CHECK_INT(t, totals->classes[PROFILE_BLOCKED].weight, pass ? 2500 : 8500);
		profile_destroy(profile);
	}
}

/* The account of a task that runs when the recording starts began when the programs were attached. */
static void nobody_ran_longer_than_the_recording(struct test *t)
{
	struct event_wait_sums records[] = {
		{.time = 1400, .source = 3, .span = 1000, .running = 900},
		{.time = 2400, .source = 3, .span = 1000, .running = 1000},
	};
	const struct profile_task_sums *sums;
	struct event_task task = task_of(SLEEPER);
	struct made_trace *trace;
	struct profile *profile;
	char path[32];

	trace = begin(path);
	for (size_t i = 0; i < 2; i++)
		made_trace_check(event_log_add_wait_sums(trace->log, &records[i], &task), "sums");
	made_trace_end(trace);
	profile = load(t, path, &everything);
	REQUIRE(t, profile_task_sums(profile, &sums) == 1);
	CHECK(t, sums->from == 400 && sums->to == 2400);
	CHECK_INT(t, sums->running, 1400);
	profile_destroy(profile);
}

/* As when one record of a trace contradicts another. */
static void waits_of_another_kind_of_source_are_left_out(struct test *t)
{
	struct event_wait_sums record = {.time = 2000, .source = 4, .span = 1000, .running = 10};
	struct event_wait wait = {.time = 3000, .length = 500, .source = 4};
	struct event_task task = task_of(SLEEPER);
	const struct profile_task_sums *sums;
	const struct profile_wait *waits;
	struct event_stacks none = {0};
	struct made_trace *trace;
	struct profile *profile;
	char path[32];

	trace = begin(path);
	made_trace_check(event_log_add_wait_sums(trace->log, &record, &task), "sums");
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, NULL, &none), "wait");
	made_trace_end(trace);
	profile = load(t, path, &everything);
	CHECK_INT(t, profile_waits(profile, &waits), 0);
	CHECK_INT(t, profile_task_sums(profile, &sums), 0);
	CHECK(t, account_has(profile, "from a source that the trace does not describe", NULL));
	profile_destroy(profile);
}

/* 2023-11-14 22:13:20 UTC and 1 us is the start. The clock is set forward by an hour in the middle. */
static void moments_are_found_on_the_clock(struct test *t)
{
	const struct profile_moment offset = {PROFILE_MOMENT_OFFSET, 500},
				    wall = {PROFILE_MOMENT_WALL, REALTIME + 3000},
				    later = {PROFILE_MOMENT_WALL, REALTIME + 3600000000000 + 6000},
				    day = {PROFILE_MOMENT_DAYTIME,
					   (22 * 3600 + 13 * 60 + 20) * UINT64_C(1000000000) + 2000},
				    none = {0};
	struct made_trace *trace;
	struct profile *profile;
	char path[32];
	uint64_t time;

	trace = begin(path);
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = 5000, .realtime = REALTIME + 3600000000000 + 5000}});
	add_wait(trace, SLEEPER, (struct event_wait){.time = 2000, .length = 200, .state = 1});
	made_trace_end(trace);
	profile = load(t, path, &everything);
	CHECK(t, profile_moment_time(profile, 0, &offset, &time) && time == START + 500);
	CHECK(t, profile_moment_time(profile, 0, &wall, &time) && time == 3000);
	CHECK(t, profile_moment_time(profile, 0, &later, &time) && time == 6000);
	CHECK(t, profile_moment_time(profile, 0, &day, &time) && time == 2000);
	CHECK(t, !profile_moment_time(profile, 0, &none, &time));
	CHECK(t, profile_realtime(profile, 0, 3000) == REALTIME + 3000);
	profile_destroy(profile);
}

TEST_MAIN(TEST(a_user_stack_is_not_for_later_waits_nor_for_others),
	  TEST(no_room_means_what_it_is_said_of), TEST(weights_are_what_lies_in_the_recording),
	  TEST(nobody_ran_longer_than_the_recording),
	  TEST(waits_of_another_kind_of_source_are_left_out), TEST(moments_are_found_on_the_clock))
