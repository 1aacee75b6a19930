/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is printed below a report: losses, notes on quality; and which causes are losses. */
#include <stdlib.h>
#include <string.h>

#include "report/profile/profile.h"
#include "report/read/loss_table.h"
#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

static void add_loss(struct made_trace *trace, enum loss_cause cause, uint64_t total)
{
	const struct event_loss loss = {.time = 3000, .source = 1, .cause = cause, .total = total};

	made_trace_add(trace, &(struct event){.kind = EVENT_LOSS, .loss = loss});
}

static const struct {
	uint64_t seen, idle, missed, missed_idle;
	const char *line; /* NULL: none */
} undelivered[] = {
	{10000, 8000, 5000, 5000, NULL},
	{10000, 8000, 5002, 5000, NULL}, /* one in a thousand of 2,002 */
	{10000, 8000, 5003, 5000,
	 "3 samples counted by the kernel but not delivered (0.1% of the time the CPUs were busy)"},
	{10000, 8000, 7000, 5000, "2000 samples counted by the kernel but not delivered (50.0% of the time"},
	{0, 0, 700, 700, NULL},
	{0, 0, 700, 0, "700 samples counted by the kernel but not delivered (100.0% of the time"},
};

/* A halted CPU has no ticks to deliver: they are not reported, and are in no percentage. */
static void tells_what_was_not_delivered_of_busy_time(struct test *t)
{
	for (size_t i = 0; i < sizeof(undelivered) / sizeof(undelivered[0]); i++) {
		const char *line = undelivered[i].line ? undelivered[i].line : "counted by the kernel";
		struct scratch scratch;
		struct made_trace *trace = made_profile_begin(&scratch);
		struct event event = {.kind = EVENT_COUNTER,
				      .counter = {.time = 2500, .source = 1, .missed = 999999,
						  .enabled = 10, .running = 10}};
		bool lost;

		add_loss(trace, LOSS_SEEN, undelivered[i].seen);
		add_loss(trace, LOSS_IDLE, undelivered[i].idle);
		add_loss(trace, LOSS_NOT_DELIVERED, undelivered[i].missed);
		made_trace_add(trace, &event);
		event.counter.time = 3000; /* the later one counts */
		event.counter.missed = undelivered[i].missed;
		event.counter.missed_idle = undelivered[i].missed_idle;
		made_trace_add(trace, &event);
		(void)finish(&scratch, trace, &everything);
		CHECK_INT(t, account_has(scratch.profile, line, &lost), undelivered[i].line != NULL);
		CHECK(t, !lost);
		end(&scratch);
	}
}

static const struct {
	uint64_t from, until;
	uint32_t cause;
	const char *line; /* of three samples; NULL: none is said */
	bool lost;
} unsure_times[] = {
	{1500, 2500, UNSURE_SILENT, "2 samples (66.7%) from times when records of processes are missing", true},
	{1500, 2500, UNSURE_AWAY, "2 samples (66.7%) from times", false},
	{2001, 2999, UNSURE_AWAY, NULL, false},
};

static void counts_samples_of_unsure_times(struct test *t)
{
	static const uint64_t times[] = {1500, 2000, 3000};

	for (size_t i = 0; i < sizeof(unsure_times) / sizeof(unsure_times[0]); i++) {
		struct event_unsure first = {unsure_times[i].from, unsure_times[i].from, 1,
					     unsure_times[i].cause, 0}, last = first;
		struct scratch scratch;
		struct made_trace *trace = made_profile_begin(&scratch);
		bool lost;

		last.until = unsure_times[i].until;
		for (uint32_t j = 0; j < 3; j++)
			made_trace_sample(trace, &(struct made_sample){.time = times[j], .tgid = 7,
								       .tid = 7, .comm = "x"});
		made_trace_add(trace, &(struct event){.kind = EVENT_UNSURE, .unsure = first});
		made_trace_add(trace, &(struct event){.kind = EVENT_UNSURE, .unsure = last});
		(void)finish(&scratch, trace, &everything);
		CHECK_INT(t, account_has(scratch.profile,
					 unsure_times[i].line ? unsure_times[i].line : "from times",
					 &lost),
			  unsure_times[i].line != NULL);
		CHECK_INT(t, lost, unsure_times[i].lost);
		end(&scratch);
	}
}

/* Lost events first, then wrong stacks, then missing names; of one kind the larger share. */
static void tells_the_gravest_first(struct test *t)
{
	static const char *const wanted[] = {"1 event lost: nested", "21 samples counted by the kernel",
					     "9 user stacks cut where a frame", "1 address beyond"};
	struct scratch scratch;
	struct made_trace *trace = made_profile_begin(&scratch);
	struct profile_account account;

	add_loss(trace, LOSS_HITS, 1);
	add_loss(trace, LOSS_USER_ASTRAY, 9);
	add_loss(trace, LOSS_NOT_DELIVERED, 21);
	add_loss(trace, LOSS_NESTED, 1);
	add_loss(trace, LOSS_RECORDED, 99);
	(void)finish(&scratch, trace, &everything);
	profile_account(scratch.profile, &account);
	REQUIRE(t, account.count == 4);
	CHECK(t, strstr(account.notes[0].text, wanted[0]) && !account.notes[0].about);
	CHECK(t, strstr(account.notes[1].text, wanted[1]) && account.notes[1].about == ABOUT_SAMPLING);
	CHECK(t, strstr(account.notes[2].text, wanted[2]) && account.notes[2].about == ABOUT_USER_STACKS);
	CHECK(t, strstr(account.notes[3].text, wanted[3]) != NULL);
	end(&scratch);
}

static bool has_of(struct profile *profile, unsigned int kinds, const char *part)
{
	struct profile_account account;
	bool found = false;

	profile_account_of(profile, kinds, &account);
	for (size_t i = 0; i < account.count; i++)
		found |= strstr(account.notes[i].text, part) != NULL;
	return found;
}

static void add_wakeup(struct made_trace *trace, uint32_t source)
{
	const struct event_task task = made_task(7, 7, 1, "x");
	const struct event_stacks stacks = {0};
	struct event_wake wake = {.source = source, .time = 2000, .context = WAKER_TASK};

	made_trace_check(event_log_add_wake(trace->log, &wake, &task, &task, &stacks), "wake");
}

/* Counts and shares are of the sources that are shown; losses of others are reported, and make the exit code 3. */
static void tells_of_the_sources_that_are_shown(struct test *t)
{
	const struct event_source waits = {.id = 2, .kind = SOURCE_OFFCPU, .start = 1000, .stop = 2000001000,
					   .flags = SOURCE_USER_STACKS};
	const struct event_source wakeups = {.id = 3, .kind = SOURCE_WAKERS, .start = 1000, .stop = 2000001000,
					     .flags = SOURCE_USER_STACKS};
	const struct event_loss of_waits[] = {{3000, 2, 0, LOSS_USER_ASTRAY, 5}, {3000, 2, 0, LOSS_RECORDED, 10},
					      {3000, 3, 0, LOSS_USER_ASTRAY, 1},
					      {3000, 2, 0, LOSS_NESTED, 3},
					      {3000, 0, 0, LOSS_USER_UNKNOWN, 20} /* of no source, so of all */};
	const struct {
		unsigned int kinds;
		const char *note;
	} notes[] = {
		{1U << PROFILE_CPU, "9 user stacks cut where a frame pointer led outside all code (10.0%)"},
		{1U << PROFILE_CPU, "3 events lost of sources that are not shown"},
		{1U << PROFILE_CPU, "1 sample (100.0%) with an unnamed leaf"},
		{1U << PROFILE_OFFCPU, "5 user stacks cut where a frame pointer led outside all code (50.0%)"},
		{1U << PROFILE_OFFCPU, "3 events lost: nested too deeply (23.1%)"},
		{PROFILE_ALL_KINDS, "15 user stacks cut"},
		{1U << PROFILE_OFFCPU, "20 user stacks with the leaf only: the mappings were unknown (20.0%)"},
		{1U << PROFILE_OFFCPU | 1U << PROFILE_WAKERS,
		 "6 user stacks cut where a frame pointer led outside all code (50.0%)"}, /* of 10 and 2 */
	};
	struct scratch scratch;
	struct made_trace *trace = made_profile_begin(&scratch);

	made_trace_source(trace, &waits, "sched_switch");
	made_trace_source(trace, &wakeups, "sched_waking");
	add_loss(trace, LOSS_USER_ASTRAY, 9);
	add_loss(trace, LOSS_RECORDED, 90);
	for (size_t i = 0; i < sizeof(of_waits) / sizeof(of_waits[0]); i++)
		made_trace_add(trace, &(struct event){.kind = EVENT_LOSS, .loss = of_waits[i]});
	for (int i = 0; i < 2; i++)
		add_wakeup(trace, wakeups.id);
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "x",
						       .user = (const uint64_t[]){0x1100, 0}});
	(void)finish(&scratch, trace, &everything);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		test_check(t, has_of(scratch.profile, notes[i].kinds, notes[i].note), "%s", notes[i].note);
	CHECK(t, !has_of(scratch.profile, 1U << PROFILE_OFFCPU, "unnamed leaf"));
	CHECK(t, profile_lost(scratch.profile));
	end(&scratch);
}

/* --- which causes are losses --- */

static struct loss_sums sums_of(uint32_t cause)
{
	const struct event_loss loss = {.cause = cause, .total = 1};
	struct loss_sums sums = {0};

	loss_sums_add(&sums, &loss);
	return sums;
}

/*
 * The specification says of each of the others that it is not a loss, or a note on quality, or
 * counts something else.
 */
static void losses_are_those_of_the_format(struct test *t)
{
	static const uint32_t lost[] = {LOSS_RING_FULL, LOSS_NO_TASK_ENTRY, LOSS_RECURSION,
					LOSS_NESTED,	LOSS_SIDEBAND,	    LOSS_ENCODER,   LOSS_LOOK};

	for (uint32_t cause = 1; cause < LOSS_CAUSES; cause++) {
		struct loss_sums sums = sums_of(cause);
		bool want = false;

		for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
			want |= lost[i] == cause;
		CHECK_INT(t, loss_sums_lost(&sums), want);
		CHECK_INT(t, sums.unknown, 0);
	}
}

static void what_is_not_known_is_a_loss(struct test *t)
{
	static const uint32_t causes[] = {0, LOSS_CAUSES, UINT32_MAX};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		struct loss_sums sums = sums_of(causes[i]);

		CHECK(t, loss_sums_lost(&sums) && sums.unknown == 1);
		CHECK(t, loss_is_of_events(loss_row_of(causes[i])));
	}
}

/* Of --info and the like: the exit code is 3. */
static void unsure_times_are_losses(struct test *t)
{
	struct event_unsure unsure = {.cause = UNSURE_AWAY}; /* a CPU that was offline */
	struct event_loss loss = {.cause = LOSS_RECORDED, .total = 9};
	struct trace_model model = {.unsure = {&unsure, 1, 1}, .losses = {&loss, 1, 1}};

	CHECK(t, !trace_model_lost(&model));
	unsure.cause = UNSURE_SILENT;
	CHECK(t, trace_model_lost(&model));
	model.unsure.count = 0;
	loss.cause = LOSS_SIDEBAND;
	CHECK(t, trace_model_lost(&model));
}

TEST_MAIN(TEST(tells_of_the_sources_that_are_shown), TEST(tells_the_gravest_first),
	  TEST(tells_what_was_not_delivered_of_busy_time), TEST(counts_samples_of_unsure_times),
	  TEST(losses_are_those_of_the_format), TEST(what_is_not_known_is_a_loss),
	  TEST(unsure_times_are_losses))
