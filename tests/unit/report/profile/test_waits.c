/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Waits of a profile: what belongs together is joined, weights are those of the recording, and what is set apart or left out. */
#include "report/profile/profile_waits.h"

#include <regex.h>
#include <stdlib.h>

#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

enum { START = MADE_START, STOP = 9000, SLEEPER = 10, OTHER = 20, WAKER = 30 };
static const uint64_t REALTIME = 1700000000000000000;
static const uint64_t calls[] = {0x401010, 0x401110, 0};

static struct made_trace *begin(struct scratch *scratch)
{
	static const char *const functions[] = {"pipe_read"};
	struct made_trace *trace = made_waits_begin(scratch, STOP, 1, functions);

	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = START, .realtime = REALTIME + START, .window = 1}});
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
	const struct event_task task = task_of(tid), others[WAIT_OTHERS] = {[WAIT_WAKER] = task_of(WAKER)};

	made_wait(trace, &task, others, wait);
}

static void add_user_stack(struct made_trace *trace, uint32_t tid, uint64_t time, uint64_t since, uint64_t missing)
{
	struct event_task task = task_of(tid);
	struct event_stacks stacks = {.user = calls, .user_count = missing ? 0 : 2};
	struct event_user_stack record = {.source = MADE_WAITS, .time = time, .since = since, .missing = missing};

	made_trace_check(event_log_add_user_stack(trace->log, &record, &task, &stacks), "user stack");
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
	struct scratch scratch;
	struct profile *profile;

	trace = begin(&scratch);
	add_wait(trace, SLEEPER, (struct event_wait){.time = 2000, .length = 500, .flags = WAIT_USER_LATER});
	add_wait(trace, OTHER, (struct event_wait){.time = 2100, .length = 500, .flags = WAIT_USER_LATER});
	add_user_stack(trace, SLEEPER, 2200, 200, USER_MISSING_CHANGED);
	add_wait(trace, SLEEPER, (struct event_wait){.time = 3000, .length = 500, .flags = WAIT_USER_LATER});
	add_user_stack(trace, SLEEPER, 3100, 100, 0);
	profile = finish(&scratch, trace, &everything);
	REQUIRE(t, profile_waits(profile, &waits) == 3);
	CHECK(t, chain_length(profile, waits[0].node) == 1 && waits[0].chain_flags == CHAIN_USER_MISSING);
	CHECK(t, chain_length(profile, waits[1].node) == 3 && !waits[1].chain_flags);
	CHECK(t, chain_length(profile, waits[2].node) == 1 && waits[2].chain_flags == CHAIN_USER_MISSING);
	CHECK(t, account_has(profile, "the thread continued elsewhere", NULL));
	end(&scratch);
}

/* Views that follow wakers keep waits that the filters leave out; the notes below the report are not about them. */
static void what_is_left_out_does_not_count_in_the_notes(struct test *t)
{
	const struct profile_filter filter = {.to = UINT64_MAX, .needs = PROFILE_EVERYONE, .least_wait = 400};
	const struct profile_wait *waits;
	struct made_trace *trace;
	struct scratch scratch;
	struct profile *profile;

	for (int pass = 0; pass < 2; pass++) {
		trace = begin(&scratch);
		add_wait(trace, SLEEPER, (struct event_wait){.time = 2000, .length = 300, .flags = WAIT_USER_LATER});
		add_wait(trace, SLEEPER, (struct event_wait){.time = 2600, .length = pass ? 500 : 300,
							     .flags = WAIT_USER_LATER | WAIT_KERNEL_TRUNCATED});
		add_user_stack(trace, SLEEPER, 3000, 1500, USER_MISSING_CHANGED);
		profile = finish(&scratch, trace, &filter);
		REQUIRE(t, profile_waits(profile, &waits) == 2);
		CHECK(t, waits[0].flags & PROFILE_WAIT_UNASKED && waits[0].chain_flags == CHAIN_USER_MISSING);
		CHECK_INT(t, account_has(profile, "1 sample (100.0%) without a user stack", NULL), pass);
		CHECK_INT(t, account_has(profile, "1 sample (100.0%) with a kernel stack cut", NULL), pass);
		CHECK_INT(t, account_has(profile, "user stack", NULL), pass);
		end(&scratch);
	}
}

static void weights_are_what_lies_in_the_recording(struct test *t)
{
	const struct profile_wait_totals *totals;
	const struct profile_wait *waits;
	struct profile_filter part = {.from = 3000, .to = 5000}; /* that is 4000 to 6000 */
	struct made_trace *trace;
	struct scratch scratch;
	struct profile *profile;

	for (int pass = 0; pass < 2; pass++) {
		trace = begin(&scratch);
		add_wait(trace, SLEEPER,
			 (struct event_wait){.time = 5000, .length = 4900, .state = 2,
					     .flags = WAIT_BEGAN_BEFORE | WAIT_OUT_LATEST});
		add_wait(trace, OTHER, (struct event_wait){.time = STOP, .length = 4500, .state = 1,
							   .flags = WAIT_NOT_ENDED});
		profile = finish(&scratch, trace, pass ? &part : &everything);
		REQUIRE(t, profile_waits(profile, &waits) == 2);
		CHECK_INT(t, waits[0].weight, pass ? 1000 : 4000);
		CHECK_INT(t, waits[1].weight, pass ? 1500 : 4500);
		CHECK_INT(t, waits[0].in - waits[0].out, 4900);
		CHECK_INT(t, waits[0].flags, PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_OUT_BOUND);
		CHECK_INT(t, waits[1].flags, PROFILE_WAIT_NOT_ENDED);
		totals = profile_wait_totals(profile, 0);
		REQUIRE(t, totals);
		CHECK_INT(t, totals->open.count, 2);
		CHECK_INT(t, totals->classes[WAIT_BLOCKED].weight, pass ? 2500 : 8500);
		end(&scratch);
	}
}

/* The account of a task that runs when the recording starts began when the programs were attached. */
static void nobody_ran_longer_than_the_recording(struct test *t)
{
	struct event_wait_sums records[] = {
		{.time = 1400, .source = MADE_WAITS, .span = 1000, .running = 900},
		{.time = 2400, .source = MADE_WAITS, .span = 1000, .running = 1000},
	};
	const struct profile_task_sums *sums;
	struct event_task task = task_of(SLEEPER);
	struct made_trace *trace;
	struct scratch scratch;
	struct profile *profile;

	trace = begin(&scratch);
	for (size_t i = 0; i < 2; i++)
		made_trace_check(event_log_add_wait_sums(trace->log, &records[i], &task), "sums");
	profile = finish(&scratch, trace, &everything);
	REQUIRE(t, profile_task_sums(profile, &sums) == 1);
	CHECK(t, sums->from == 400 && sums->to == 2400);
	CHECK_INT(t, sums->running, 1400);
	end(&scratch);
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
	struct scratch scratch;
	struct profile *profile;
	uint64_t time;

	trace = begin(&scratch);
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = 5000, .realtime = REALTIME + 3600000000000 + 5000}});
	add_wait(trace, SLEEPER, (struct event_wait){.time = 2000, .length = 200, .state = 1});
	profile = finish(&scratch, trace, &everything);
	CHECK(t, profile_moment_time(profile, 0, &offset, &time) && time == START + 500);
	CHECK(t, profile_moment_time(profile, 0, &wall, &time) && time == 3000);
	CHECK(t, profile_moment_time(profile, 0, &later, &time) && time == 6000);
	CHECK(t, profile_moment_time(profile, 0, &day, &time) && time == 2000);
	CHECK(t, !profile_moment_time(profile, 0, &none, &time));
	CHECK(t, profile_realtime(profile, 0, 3000) == REALTIME + 3000);
	end(&scratch);
}

/* --- what is set apart --- */

enum { POOL = 20, OTHER_POOL, WORKER = 30, HUNG = 40, VICTIM = 50, HOLDER = 60 };

static const struct thread {
	uint32_t tid;
	const char *comm;
	bool kernel;
} threads[] = {
	{POOL, "pool", false}, {OTHER_POOL, "pool", false}, {WORKER, "kworker/0:1", true},
	{HUNG, "hung", false}, {VICTIM, "victim", false},   {HOLDER, "kholder", true},
};

static struct event_task thread_of(uint32_t tid)
{
	struct event_task task;

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		if (threads[i].tid == tid) {
			task = made_task(tid, tid, 5, threads[i].comm);
			task.flags = threads[i].kernel ? TASK_KERNEL_THREAD : 0;
			return task;
		}
	abort();
}

static void add_its_wait(struct made_trace *trace, uint32_t tid, struct event_wait wait)
{
	const struct event_task task = thread_of(tid), others[WAIT_OTHERS] = {[WAIT_WAKER] = thread_of(HOLDER)};

	made_wait(trace, &task, others, wait);
}

static void add_its_sums(struct made_trace *trace, uint32_t tid, uint64_t running)
{
	struct event_wait_sums sums = {.time = STOP, .source = MADE_WAITS, .span = STOP - START, .running = running};
	struct event_task task = thread_of(tid);

	sums.kinds[WAIT_SUM_PREEMPTED] = (struct event_wait_sum){.count = running > 0, .total = 7, .run_queue = 7};
	made_trace_check(event_log_add_wait_sums(trace->log, &sums, &task), "sums");
}

static const struct event_wait whole = {.time = STOP, .length = STOP, .state = 1,
					.flags = WAIT_BEGAN_BEFORE | WAIT_NOT_ENDED};

/*
 * Two threads of a pool and one of the kernel do nothing. One hangs in D. The victim waits twice
 * for a thread of the kernel, which slept nearly all the time, but is held up by it.
 */
static struct made_trace *make(struct scratch *scratch)
{
	static const char *const functions[] = {"schedule"};
	struct made_trace *trace = made_waits_begin(scratch, STOP, 1, functions);
	struct event_wait hung = whole;

	add_its_wait(trace, VICTIM, (struct event_wait){.time = 3000, .length = 500, .state = 1, .context = WAKER_TASK});
	add_its_wait(trace, WORKER, (struct event_wait){.time = 4000, .length = 3000, .state = 0x402});
	add_its_wait(trace, HOLDER, (struct event_wait){.time = 4500, .length = 3500, .state = 0x402});
	add_its_wait(trace, VICTIM, (struct event_wait){.time = 5000, .length = 500, .state = 1, .context = WAKER_TASK});
	add_its_wait(trace, WORKER, (struct event_wait){.time = 8000, .length = 3990, .state = 0x402});
	hung.state = 2;
	add_its_wait(trace, POOL, whole);
	add_its_wait(trace, OTHER_POOL, whole);
	add_its_wait(trace, HUNG, hung);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		add_its_sums(trace, threads[i].tid, threads[i].kernel || threads[i].tid == VICTIM ? 10 : 0);
	return trace;
}

static struct profile *load_them(struct scratch *scratch, struct profile_filter filter, const char *comm)
{
	regex_t expression;

	filter.to = filter.to ? filter.to : UINT64_MAX;
	if (comm && regcomp(&expression, comm, REG_EXTENDED | REG_NOSUB))
		abort();
	filter.comm = comm ? &expression : NULL;
	(void)finish(scratch, make(scratch), &filter);
	if (comm)
		regfree(&expression);
	return scratch->profile;
}

/* The threads with waits that are shown, or with others: "20 40". */
static void list(struct profile *profile, bool beside, char text[64])
{
	const struct profile_task *tasks;
	const struct profile_wait *waits;
	size_t count = profile_waits(profile, &waits), task_count, used = 0;
	uint32_t last = PROFILE_NO_TASK;

	tasks = profile_tasks(profile, &task_count);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (waits[i].task == last || !!(waits[i].flags & PROFILE_WAIT_BESIDE) != beside)
			continue;
		last = waits[i].task;
		used += (size_t)snprintf(text + used, 64 - used, "%s%u", used ? " " : "", tasks[last].tid);
	}
}

struct expected {
	const char *shown, *beside;
	uint64_t waits, weight; /* of the source */
	uint64_t brief;
	size_t throughout, kernel; /* set apart */
};

static void expect(struct test *t, struct profile_filter filter, const char *comm, const struct expected *want)
{
	struct scratch scratch;
	struct profile *profile = load_them(&scratch, filter, comm);
	const struct profile_wait_totals *totals = profile_wait_totals(profile, 0);
	struct profile_set_apart apart = profile_set_apart(profile);
	const struct profile_source *sources;
	char shown[64], beside[64];

	(void)profile_sources(profile, &sources);
	list(profile, false, shown);
	list(profile, true, beside);
	CHECK_STR(t, shown, want->shown);
	CHECK_STR(t, beside, want->beside);
	CHECK_INT(t, sources[0].samples, want->waits);
	CHECK_INT(t, sources[0].weight, want->weight);
	CHECK_INT(t, totals->classes[WAIT_BLOCKED].count, want->waits);
	CHECK_INT(t, totals->brief.count, want->brief);
	CHECK_INT(t, apart.throughout_count, want->throughout);
	CHECK_INT(t, apart.kernel_threads, want->kernel);
	end(&scratch);
}

enum { WHOLE = STOP - START, APART = 2 * WHOLE + 3000 + 3990, BUSY = WHOLE + 1000 + 3500 };

static void sets_apart(struct test *t)
{
	const struct profile_filter apart = {.apart = true};

	expect(t, (struct profile_filter){0}, NULL,
	       &(struct expected){"50 60 30 20 21 40", "", 8, APART + BUSY, 3, 0, 0});
	expect(t, apart, NULL, &(struct expected){"50 60 40", "", 4, BUSY, 2, 2, 1});
}

/* Filters do not change what is set apart; if nothing else is left, it is shown. */
static void knows_them_under_filters(struct test *t)
{
	const struct profile_filter apart = {.apart = true},
				    kernel = {.apart = true, .kernel_threads = true},
				    user = {.apart = true, .user_threads = true},
				    part = {.apart = true, .from = 4000, .to = 5000};

	expect(t, apart, "^(pool|hung)$", &(struct expected){"40", "", 1, WHOLE, 0, 2, 0});
	expect(t, apart, "kholder", &(struct expected){"60", "", 1, 3500, 1, 0, 0});
	expect(t, apart, "pool", &(struct expected){"20 21", "", 2, 2 * WHOLE, 0, 0, 0});
	expect(t, kernel, NULL, &(struct expected){"60", "", 1, 3500, 1, 0, 1});
	expect(t, user, NULL, &(struct expected){"50 40", "", 3, WHOLE + 1000, 1, 2, 0});
	expect(t, part, NULL, &(struct expected){"50 40", "", 2, 1000, 0, 2, 1});
}

static void keeps_everyone_who_may_be_followed(struct test *t)
{
	const struct profile_filter all = {.needs = PROFILE_EVERYONE}, apart = {.needs = PROFILE_EVERYONE, .apart = true},
				    cpu = {.needs = PROFILE_EVERYONE, .least_wait = 600};

	expect(t, all, NULL, &(struct expected){"50 60 30 20 21 40", "", 8, APART + BUSY, 3, 0, 0});
	expect(t, apart, NULL, &(struct expected){"50 60 40", "30 20 21", 4, BUSY, 2, 2, 1});
	expect(t, apart, "victim", &(struct expected){"50", "60 30 20 21 40", 2, 1000, 1, 0, 0});
	expect(t, cpu, NULL, &(struct expected){"60 30 20 21 40", "50", 6, APART + BUSY - 1000, 0, 0, 0});
}

TEST_MAIN(TEST(a_user_stack_is_not_for_later_waits_nor_for_others),
	  TEST(what_is_left_out_does_not_count_in_the_notes),
	  TEST(weights_are_what_lies_in_the_recording), TEST(nobody_ran_longer_than_the_recording),
	  TEST(moments_are_found_on_the_clock), TEST(sets_apart), TEST(knows_them_under_filters),
	  TEST(keeps_everyone_who_may_be_followed))
