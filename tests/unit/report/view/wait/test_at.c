/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --at compared with hand-written text. */
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.filters = "", .at = {.kind = PROFILE_MOMENT_OFFSET, .ns = 2500 * MS}};

/* A wait of which only its begin and end matter below. */
static struct profile_wait *sleeper(struct profile *p, const char *comm, uint32_t tid, uint64_t out_ms, uint64_t in_ms)
{
	return fake_wait(p, comm, tid, "f", BOOT + out_ms * MS, BOOT + in_ms * MS);
}

static struct profile *some_waits(void)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	wait = fake_wait(p, "dd", 7, "main@dd;read@libc.so.6;vfs_read;io_schedule", BOOT + 497 * MS, BOOT + 3003 * MS);
	fake_waker(p, wait, "kworker/0:1", 12, "", wait->in - 13000);
	wait->state = 2;
	wait->flags = PROFILE_WAIT_IOWAIT;
	wait->in_cpu = 1;
	p->tasks[0].tgid = 5;
	wait = fake_wait(p, "pool", 20, "start@app+0x1;poll+0x1", BOOT + 100 * MS, BOOT + 5000 * MS);
	wait->flags = PROFILE_WAIT_NOT_ENDED;
	wait = fake_wait(p, "pool", 21, "start@app+0x2;poll+0x2", BOOT - 2000 * MS, BOOT + 4000 * MS);
	wait->flags = PROFILE_WAIT_BEGAN_BEFORE;
	wait = fake_wait(p, "spin", 30, "spin@app", BOOT + 2499 * MS, BOOT + 2501 * MS);
	wait->wait_class = PROFILE_PREEMPTED;
	wait->state = 0;
	wait->run_queue = 2 * MS;
	sleeper(p, "run", 31, 1000, 2000)->in_cpu = 3;
	sleeper(p, "run", 31, 2600, 2700)->out_cpu = 3;
	sleeper(p, "late", 40, 3000, 5000)->flags =
		PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_OUT_BOUND | PROFILE_WAIT_NOT_ENDED;
	return p;
}

static const char waited_and_ran[] =
	"# at 2026-11-21 12:00:02.500000 UTC, +2.500000 s\n"
	"# ran on CPU 3: run tid 31 pid 31, from +2.000000 s to +2.600000 s\n"
	"# not known what ran on CPU 0-1\n"
	"# tasks that waited: 4, in stacks that differ: 3\n"
	"# tasks that may have waited, too, as it is not known when they began to: 1\n"
	"\n"
	"spin tid 30 pid 30, R, preempted, for 1.000 ms\n"
	"        2.000 ms from +2.499000 s: ran from +2.501000 s on, run queue 2.000 ms\n"
	"    spin\n"
	"\n"
	"dd tid 7 pid 5, D iowait, blocked, for 2.003 s\n"
	"        2.506 s from +0.497000 s: woken at +3.002987 s by kworker/0:1 tid 12 pid 12, "
	"ran from +3.003000 s on, run queue 13.000 us\n"
	"    io_schedule\n"
	"    vfs_read\n"
	"    read\n"
	"    main\n"
	"\n"
	"2 tasks in this stack:\n"
	"pool tid 20 pid 20, S, blocked, for 2.400 s\n"
	"        ≥4.900 s from +0.100000 s: had not ended by +5.000000 s, the end of the recording\n"
	"pool tid 21 pid 21, S, blocked, for 4.500 s\n"
	"        6.000 s from -2.000000 s: woken, by whom is not known, ran from +4.000000 s on\n"
	"    poll\n"
	"    start\n"
	"\n";

static void shows_who_waited_and_who_ran(struct test *t)
{
	struct profile *p = some_waits();

	fake_check_printed(t, p, at_view, &plain, waited_and_ran);
	free(p);
}

static const char around_the_moment[] =
	"# at 2026-11-21 12:00:02.500000 UTC, +2.500000 s ± 100.000 ms\n"
	"# not known what ran on CPU 0\n"
	"# tasks that waited: 4, in stacks that differ: 1\n"
	"\n"
	"4 tasks in this stack:\n"
	"b tid 2 pid 2, S, blocked, from 100.000 ms later on\n"
	"        30.000 ms from +2.600000 s: woken, by whom is not known, ran from +2.630000 s on\n"
	"a tid 1 pid 1, S, blocked, until 60.000 ms before\n"
	"        40.000 ms from +2.400000 s: woken, by whom is not known, ran from +2.440000 s on\n"
	"        other waits within the window: 2, 20.000 ms in all\n"
	"c tid 3 pid 3, S, blocked, until 99.000 ms before\n"
	"        201.000 ms from +2.200000 s: woken, by whom is not known, ran from +2.401000 s on\n"
	"e tid 5 pid 5, S, blocked, for 5.000 ms\n"
	"        6.000 ms from +2.495000 s: woken, by whom is not known, ran from +2.501000 s on\n"
	"        other waits within the window: 1, 80.000 ms in all\n"
	"    f\n"
	"\n";

/*
 * A task once, with its longest wait in the window unless it waited at the moment; touching the
 * window is not enough.
 */
static void looks_around_the_moment(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;

	(void)sleeper(p, "a", 1, 2400, 2440);
	(void)sleeper(p, "a", 1, 2470, 2480);
	(void)sleeper(p, "a", 1, 2520, 2530);
	(void)sleeper(p, "b", 2, 2600, 2630);
	(void)sleeper(p, "c", 3, 2200, 2401);
	(void)sleeper(p, "d", 4, 2100, 2400);
	(void)sleeper(p, "e", 5, 2410, 2490);
	(void)sleeper(p, "e", 5, 2495, 2501);
	(void)sleeper(p, "f", 6, 2601, 2700);
	settings.at_around = 100 * MS;
	fake_check_printed(t, p, at_view, &settings, around_the_moment);
	free(p);
}

/* How long it had lasted, for waits whose begin is a bound; and how much of it was on the run queue. */
static void knows_ages_and_their_bounds(struct test *t)
{
	static const struct {
		uint8_t flags;
		uint64_t run_queue;
		const char *text;
	} cases[] = {
		{0, 0, "blocked, for 1.500 s\n"},
		{PROFILE_WAIT_OUT_BOUND | PROFILE_WAIT_BEGAN_BEFORE, 0, "blocked, for ≥1.500 s\n"},
		{PROFILE_WAIT_OUT_EARLIEST, 0, "blocked, for ≤1.500 s\n"},
		{0, 600 * MS, "blocked, for 1.500 s, since 100.000 ms on the run queue\n"},
		{0, 500 * MS, "blocked, for 1.500 s, since 0 ns on the run queue\n"},
		{0, 499 * MS, "blocked, for 1.500 s\n"},
		{PROFILE_WAIT_NOT_ENDED, 0, "blocked, for 1.500 s\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = fake_recorded();
		struct profile_wait *wait = sleeper(p, "a", 1, 1000, 3000);
		char *text;

		wait->flags = cases[i].flags;
		wait->run_queue = cases[i].run_queue;
		CHECK_INT(t, fake_view(p, at_view, &plain, &text), 0);
		test_check(t, strstr(text, cases[i].text) != NULL, "case %zu: %s", i, text);
		free(text);
		free(p);
	}
}

/* From out on, until in; an open one until it was last looked at. */
static void heeds_both_ends_of_a_wait(struct test *t)
{
	static const struct {
		uint64_t out, in; /* ns from the moment */
		uint8_t flags;
		bool waits;
	} cases[] = {
		{0, 5, 0, true}, {1, 5, 0, false}, {0, 0, 0, false}, {0, 0, PROFILE_WAIT_NOT_ENDED, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = fake_recorded();
		char *text;

		fake_wait(p, "a", 1, "f", BOOT + 2500 * MS + cases[i].out,
			  BOOT + 2500 * MS + cases[i].in)->flags = cases[i].flags;
		CHECK_INT(t, fake_view(p, at_view, &plain, &text), 0);
		test_check(t, (strstr(text, "tasks that waited: 1,") != NULL) == cases[i].waits,
			   "case %zu: %s", i, text);
		test_check(t, (strstr(text, "nothing that is known waited") != NULL) != cases[i].waits,
			   "case %zu: %s", i, text);
		free(text);
		free(p);
	}
}

static void counts_whom_it_does_not_list(struct test *t)
{
	struct profile *p = fake_recorded();
	char *text;

	for (unsigned int i = 0; i < 12; i++)
		(void)sleeper(p, "pool", 100 + i, 1000 + i, 3000);
	CHECK_INT(t, fake_view(p, at_view, &plain, &text), 0);
	CHECK(t, strstr(text, "# tasks that waited: 12, in stacks that differ: 1\n"
			      "\n"
			      "12 tasks in this stack; not listed are 2 that had waited for 1.490 s at most:\n"
			      "pool tid 109 pid 109, S, blocked, for 1.491 s\n"));
	CHECK(t, strstr(text, "pool tid 100 pid 100, S, blocked, for 1.500 s\n"
			      "        2.000 s from +1.000000 s: woken, by whom is not known, ran from +3.000000 s on\n"
			      "    f\n"));
	CHECK(t, !strstr(text, "tid 110"));
	free(text);
	free(p);
}

static const char outside[] =
	"# at 2026-11-21 12:00:07.000000 UTC, +7.000000 s\n"
	"# this is outside of the recording, which went from 2026-11-21 12:00:00.000000 UTC, +0.000000 s "
	"to +5.000000 s: "
	"only waits that were open are known\n"
	"# not known what ran on CPU 0\n"
	"# what ran is what the events say that were not lost\n"
	"# tasks that waited: 1, in stacks that differ: 1\n"
	"\n"
	"a tid 1 pid 1, S, blocked, for 1.000 s\n"
	"        2.000 s from +6.000000 s: woken, by whom is not known, ran from +8.000000 s on\n"
	"    f\n"
	"\n";

static void says_what_it_cannot_know(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;

	p->recordings[0].least_wait = 1 * MS;
	fake_check_printed(t, p, at_view, &settings,
			   "# at 2026-11-21 12:00:02.500000 UTC, +2.500000 s\n"
			   "# unknown what ran: waits shorter than 1.000 ms were only counted; "
			   "those are not here either\n"
			   "# nothing that is known waited then\n"
			   "\n");
	p->recordings[0].least_wait = 0;
	p->lost = true;
	fake_check_printed(t, p, at_view, &settings,
			   "# at 2026-11-21 12:00:02.500000 UTC, +2.500000 s\n"
			   "# what ran is what the events say that were not lost\n"
			   "# nothing that is known waited then\n"
			   "\n");
	settings.at.ns = 7 * SECOND;
	(void)sleeper(p, "a", 1, 6000, 8000); /* it only needs to be in the trace */
	fake_check_printed(t, p, at_view, &settings, outside);
	settings.at.kind = PROFILE_MOMENT_WALL;
	p->realtime = 0;
	fake_check_printed(t, p, at_view, &settings, "# recording 1: its clocks do not show when that was\n");
	free(p);
}

/* A thread that got another comm while it ran is one thread; here in the second of two recordings. */
static void names_a_thread_that_changed_its_comm(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;
	char *text;

	(void)fake_recording(p, BOOT, BOOT + 5 * SECOND);
	(void)sleeper(p, "other", 9, 0, 1000);
	(void)sleeper(p, "sh", 7, 0, 1000);
	(void)sleeper(p, "x", 8, 0, 2000);
	wait = sleeper(p, "dd", 7, 3000, 4000);
	for (size_t i = 1; i < p->wait_count; i++)
		p->waits[i].recording = 1;
	p->waits[2].out_cpu = p->waits[2].in_cpu = 1;
	CHECK_INT(t, fake_view(p, at_view, &plain, &text), 0);
	CHECK(t, strstr(text, "# ran on CPU 0: sh tid 7 pid 7, dd when it left, from +1.000000 s to +3.000000 s\n"
			      "# not known what ran on CPU 1\n"));
	free(text);
	p->tasks[wait->task].start = 1; /* another thread of that number */
	CHECK_INT(t, fake_view(p, at_view, &plain, &text), 0);
	CHECK(t, !strstr(text, "# ran on CPU") && strstr(text, "# not known what ran on CPU 0-1\n"));
	free(text);
	free(p);
}

/* Each recording on its own, with its own clock. */
static void goes_through_all_recordings(struct test *t)
{
	struct profile *p = fake_recorded();

	p->recordings[fake_recording(p, 50 * SECOND, 60 * SECOND)].host = 1;
	p->realtime = 0;
	(void)sleeper(p, "a", 1, 2000, 3000);
	fake_wait(p, "b", 2, "f", 51 * SECOND, 53 * SECOND)->recording = 1;
	fake_check_printed(t, p, at_view, &plain,
			   "# at wall clock unknown, +2.500000 s (recording 1, host 0)\n"
			   "# not known what ran on CPU 0\n"
			   "# tasks that waited: 1, in stacks that differ: 1\n"
			   "\n"
			   "a tid 1 pid 1, S, blocked, for 500.000 ms\n"
			   "        1.000 s from +2.000000 s: woken, by whom is not known, ran from +3.000000 s on\n"
			   "    f\n"
			   "\n"
			   "# at wall clock unknown, +2.500000 s (recording 2, host 1)\n"
			   "# not known what ran on CPU 0\n"
			   "# tasks that waited: 1, in stacks that differ: 1\n"
			   "\n"
			   "b tid 2 pid 2, S, blocked, for 1.500 s\n"
			   "        2.000 s from +1.000000 s: woken, by whom is not known, ran from +3.000000 s on\n"
			   "    f\n"
			   "\n");
	free(p);
}

/* A moment that --top-waits prints as the begin of a wait finds it, although it is rounded. */
static void finds_a_wait_by_its_printed_beginning(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;
	char *text;

	(void)fake_wait(p, "a", 1, "f", BOOT + 1000000001, BOOT + 1000001500);
	settings.at.ns = 1000001000; /* +1.000001 s */
	CHECK_INT(t, fake_view(p, at_view, &settings, &text), 0);
	CHECK(t, strstr(text, "a tid 1 pid 1, S, blocked, for 999 ns\n        1.499 us from +1.000001 s: "));
	free(text);
	free(p);
}

static void survives_hostile_numbers(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;
	struct profile_wait sound, spoilt;
	char *text;

	(void)fake_wait(p, "a", 1, "f", 0, UINT64_MAX);
	(void)fake_wait(p, "a", 1, "f", 1, UINT64_MAX); /* overlaps the other one */
	p->waits[0].run_queue = UINT64_MAX;
	p->waits[0].out_cpu = UINT16_MAX;
	settings.at_around = UINT64_MAX;
	CHECK_INT(t, fake_view(p, at_view, &settings, &text), 0);
	CHECK(t, strstr(text, "a tid 1 pid 1, S, blocked, for 1002.500 s, since 1002.500 s on the run queue\n"));
	CHECK(t, strstr(text, "other waits within the window: 1, 18446744073.710 s in all\n"));
	CHECK(t, strstr(text, "# not known what ran on CPU 0,65535\n"));
	free(text);
	sound = spoilt = p->waits[1];
	spoilt.in = 0;
	fake_check_refused(t, p, at_view, &settings, spoilt, "in before out");
	spoilt = sound;
	spoilt.node = FAKE_MAX;
	fake_check_refused(t, p, at_view, &settings, spoilt, "node");
	spoilt = sound;
	spoilt.task = 5;
	fake_check_refused(t, p, at_view, &settings, spoilt, "task");
	p->nodes[p->waits[0].node].frame = FAKE_MAX; /* that of the wait that is shown */
	fake_check_refused(t, p, at_view, &settings, sound, "frame");
	free(p);
}

TEST_MAIN(TEST(shows_who_waited_and_who_ran), TEST(looks_around_the_moment), TEST(knows_ages_and_their_bounds),
	  TEST(heeds_both_ends_of_a_wait), TEST(counts_whom_it_does_not_list), TEST(says_what_it_cannot_know),
	  TEST(names_a_thread_that_changed_its_comm), TEST(goes_through_all_recordings),
	  TEST(finds_a_wait_by_its_printed_beginning), TEST(survives_hostile_numbers))
