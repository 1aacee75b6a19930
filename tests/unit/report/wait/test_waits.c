/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Single waits: --top-waits, --at and --summary against texts written by hand. */
#include "report/wait/at.h"

#include "tests/test.h"
#include "tests/unit/report/view/fake_view.h"

/* --- top waits --- */

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

/* 1 ms, 2 ms ... 100 ms, given in another order. */
static void takes_percentiles_by_nearest_rank(struct test *t)
{
	struct profile *p = fake_recorded();
	char *text;

	for (unsigned int i = 0; i < 100; i++) {
		uint64_t out = BOOT + i * SECOND / 10;

		(void)fake_wait(p, "a", 1, "f", out, out + ((uint64_t)i * 37 % 100 + 1) * MS);
	}
	CHECK_INT(t, fake_view(p, top_waits_view.print, &plain, &text), 0);
	CHECK(t, strstr(text, "100 waits, 5.050 s in all, p50 50.000 ms, p99 99.000 ms\n"));
	CHECK(t, strstr(text, "     32768 -> 65535      : 33       |*************************************   |\n"));
	free(text);
	fake_free(p);
}

/* Lengths are whole, also where the wait began before the recording; the earlier of two equal ones is shown. */
static void marks_what_is_a_bound(struct test *t)
{
	static const struct {
		uint8_t flags;
		uint64_t out, in; /* from the recording's start + 10 s */
		const char *longest, *all;
	} cases[] = {
		{PROFILE_WAIT_BEGAN_BEFORE, 7 * SECOND, 12 * SECOND, "5.000 s, from 2026-11-21 11:59:57.000000 UTC, -3.000000 s\n",
		 "5.000 s in all (2.000 s of it within what was recorded and asked for), 1 open\n"},
		{PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_OUT_BOUND, 10 * SECOND, 12 * SECOND,
		 "≥2.000 s, from 2026-11-21 12:00:00.000000 UTC, +0.000000 s or before\n", "≥2.000 s in all, 1 open\n"},
		{PROFILE_WAIT_NOT_ENDED, 11 * SECOND, 15 * SECOND,
		 "≥4.000 s, from 2026-11-21 12:00:01.000000 UTC, +1.000000 s\n", "≥4.000 s in all, 1 open\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t zero = BOOT - 10 * SECOND, out = zero + cases[i].out;
		struct profile *p = fake_recorded();
		struct profile_wait *wait = fake_wait(p, "a", 1, "f", out, zero + cases[i].in);
		char *text, longest[128], all[128];

		wait->flags = cases[i].flags;
		if (out < BOOT)
			wait->weight = wait->in - BOOT;
		(void)snprintf(longest, sizeof(longest), "        longest %s", cases[i].longest);
		(void)snprintf(all, sizeof(all), "        1 wait, %s", cases[i].all);
		CHECK_INT(t, fake_view(p, top_waits_view.print, &plain, &text), 0);
		test_check(t, strstr(text, longest) && strstr(text, all), "case %zu: %s", i, text);
		free(text);
		fake_free(p);
	}
}

/* Numbers at their ends neither wrap nor are cut; sums stay at the largest number. */
static void survives_large_numbers(struct test *t)
{
	struct profile *p = fake_recorded();
	char *text;

	(void)fake_wait(p, "a", 1, "f", 0, UINT64_MAX);
	(void)fake_wait(p, "a", 2, "f", 1, UINT64_MAX);
	(void)fake_wait(p, "a", 3, "f", 5, 5);
	((struct fake *)p)->model.clocks.count = 0;
	CHECK_INT(t, fake_view(p, top_waits_view.print, &plain, &text), 0);
	CHECK(t, strstr(text, "longest 18446744073.710 s, from wall clock unknown, -1000.000000 s\n"));
	CHECK(t, strstr(text, "3 waits, 18446744073.710 s in all, p50 18446744073.710 s, p99 18446744073.710 s\n"));
	CHECK(t, strstr(text, "   18014398509481984 -> 36028797018963967    : "
			      "2        |****************************************|\n"));
	free(text);
	fake_free(p);
}

/* --- at --- */

static const struct view_settings at_2500 = {.filters = "", .at = {.kind = PROFILE_MOMENT_OFFSET, .ns = 2500 * MS}};

/* A wait of which only its begin and end matter below. */
static struct profile_wait *sleeper(struct profile *p, const char *comm, uint32_t tid, uint64_t out_ms, uint64_t in_ms)
{
	return fake_wait(p, comm, tid, "f", BOOT + out_ms * MS, BOOT + in_ms * MS);
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
		CHECK_INT(t, fake_view(p, at_view.print, &at_2500, &text), 0);
		test_check(t, strstr(text, cases[i].text) != NULL, "case %zu: %s", i, text);
		free(text);
		fake_free(p);
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
		CHECK_INT(t, fake_view(p, at_view.print, &at_2500, &text), 0);
		test_check(t, (strstr(text, "tasks that waited: 1,") != NULL) == cases[i].waits,
			   "case %zu: %s", i, text);
		test_check(t, (strstr(text, "nothing that is known waited") != NULL) != cases[i].waits,
			   "case %zu: %s", i, text);
		free(text);
		fake_free(p);
	}
}

/* A moment that --top-waits prints as the begin of a wait finds it, although it is rounded. */
static void finds_a_wait_by_its_printed_beginning(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = at_2500;
	char *text;

	(void)fake_wait(p, "a", 1, "f", BOOT + 1000000001, BOOT + 1000001500);
	settings.at.ns = 1000001000; /* +1.000001 s */
	CHECK_INT(t, fake_view(p, at_view.print, &settings, &text), 0);
	CHECK(t, strstr(text, "a tid 1 pid 1, S, blocked, for 999 ns\n        1.499 us from +1.000001 s: "));
	free(text);
	fake_free(p);
}

static void survives_hostile_numbers(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = at_2500;
	struct profile_wait sound, spoilt;
	char *text;

	(void)fake_wait(p, "a", 1, "f", 0, UINT64_MAX);
	(void)fake_wait(p, "a", 1, "f", 1, UINT64_MAX); /* overlaps the other one */
	p->waits.items[0].run_queue = UINT64_MAX;
	p->waits.items[0].out_cpu = UINT16_MAX;
	settings.at_around = UINT64_MAX;
	CHECK_INT(t, fake_view(p, at_view.print, &settings, &text), 0);
	CHECK(t, strstr(text, "a tid 1 pid 1, S, blocked, for 1002.500 s, since 1002.500 s on the run queue\n"));
	CHECK(t, strstr(text, "other waits within the window: 1, 18446744073.710 s in all\n"));
	CHECK(t, strstr(text, "# not known what ran on CPU 0,65535\n"));
	free(text);
	sound = spoilt = p->waits.items[1];
	spoilt.in = 0;
	fake_check_refused(t, p, at_view.print, &settings, spoilt, "in before out");
	spoilt = sound;
	spoilt.node = FAKE_MAX;
	fake_check_refused(t, p, at_view.print, &settings, spoilt, "node");
	spoilt = sound;
	spoilt.task = 5;
	fake_check_refused(t, p, at_view.print, &settings, spoilt, "task");
	p->nodes.items[p->waits.items[0].node].frame = FAKE_MAX; /* that of the wait that is shown */
	fake_check_refused(t, p, at_view.print, &settings, sound, "frame");
	fake_free(p);
}

/* --- running at --- */

/* What ran on each CPU at a moment, from hand-written waits. Times are small numbers. */

enum { NOBODY = -1, MOST_WAITS = 16 };
enum { STARTED = 128 }; /* a flag of stays, in addition to those of waits */

static const struct profile_recording every_switch = {.start = 10, .stop = 100};

struct stay { /* a wait, as far as it matters here */
	uint32_t task;
	uint64_t out, in;
	uint16_t out_cpu, in_cpu;
	uint8_t flags;
};

/* From waits ordered by thread and out, as in an index. */
static int find(struct running_at *running, const struct profile_recording *recording, const struct profile_wait *items,
		size_t count, uint64_t time)
{
	const struct waits waits = {.items = items, .count = count};
	uint32_t thread_of[] = {0, 1, 2, 3, 4, 4, 6, 7}; /* tasks 4 and 5 are one thread by two names */
	uint32_t order[MOST_WAITS];
	const struct wait_index index = {.waits = &waits, .thread_of = thread_of, .order = order};

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	return running_at_init(running, recording, &index, 0, count, time);
}

/* Which task ran on a CPU at a time, and as which task it left; NOBODY: unknown. */
static struct running_cpu run_of(const struct profile_recording *recording, const struct stay *stays, size_t count,
				 uint64_t time, unsigned int cpu)
{
	struct running_cpu found = {.task = PROFILE_NO_TASK};
	struct profile_wait waits[MOST_WAITS] = {{0}};
	struct running_at running;

	for (size_t i = 0; i < count; i++)
		waits[i] = (struct profile_wait){.task = stays[i].task,
						 .out = stays[i].out,
						 .in = stays[i].in,
						 .out_cpu = stays[i].out_cpu,
						 .in_cpu = stays[i].in_cpu,
						 .flags = stays[i].flags & (STARTED - 1),
						 .wait_class = stays[i].flags & STARTED ?
								       WAIT_STARTED :
								       WAIT_BLOCKED};
	if (find(&running, recording, waits, count, time) < 0)
		abort();
	if (cpu < running.count)
		found = running.cpus[cpu];
	running_at_deinit(&running);
	return found;
}

static int runs(const struct profile_recording *recording, const struct stay *stays, size_t count, uint64_t time,
		unsigned int cpu)
{
	uint32_t task = run_of(recording, stays, count, time, cpu).task;

	return task == PROFILE_NO_TASK ? NOBODY : (int)task;
}

#define RUNS(stays, time, cpu) runs(&every_switch, stays, sizeof(stays) / sizeof((stays)[0]), time, cpu)

/* Task 1 is on CPU 2 from 20 to 40; task 2 on CPU 3 from 25 to 30 and from 31 on. */
static const struct stay two_tasks[] = {
	{1, 15, 20, 0, 2, 0}, {1, 40, 50, 2, 0, 0}, {2, 5, 25, 0, 3, PROFILE_WAIT_BEGAN_BEFORE}, {2, 30, 31, 3, 3, 0}};

static void knows_who_came_in_and_left_later(struct test *t)
{
	CHECK_INT(t, RUNS(two_tasks, 19, 2), NOBODY);
	CHECK_INT(t, RUNS(two_tasks, 20, 2), 1);
	CHECK_INT(t, RUNS(two_tasks, 39, 2), 1);
	CHECK_INT(t, RUNS(two_tasks, 40, 2), NOBODY); /* it has left */
	CHECK_INT(t, RUNS(two_tasks, 25, 3), 2);
	CHECK_INT(t, RUNS(two_tasks, 30, 3), NOBODY);
	CHECK_INT(t, RUNS(two_tasks, 35, 3), NOBODY); /* it was switched in; whether it left is not known */
	CHECK_INT(t, RUNS(two_tasks, 25, 0), NOBODY);
	CHECK_INT(t, RUNS(two_tasks, 25, 9), NOBODY);
}

/* It was switched in as 4 and left as 5; then it was switched in as 5 and left as 4. */
static void knows_threads_by_all_their_names(struct test *t)
{
	static const struct stay renamed[] = {{4, 15, 20, 0, 2, 0}, {5, 40, 50, 2, 2, 0}, {4, 60, 70, 2, 0, 0}};
	/* Another thread with that number was created after the first had exited. */
	static const struct stay gone[] = {{4, 15, 20, 0, 2, 0}, {5, 40, 50, 2, 2, STARTED}};
	static const struct stay two[] = {{4, 15, 20, 0, 2, 0}, {6, 40, 50, 2, 2, 0}};
	struct running_cpu cpu = run_of(&every_switch, renamed, 3, 30, 2);

	CHECK_INT(t, cpu.task, 4);
	CHECK_INT(t, cpu.left_as, 5);
	CHECK_INT(t, cpu.in, 20);
	CHECK_INT(t, cpu.out, 40);
	cpu = run_of(&every_switch, renamed, 3, 50, 2);
	CHECK_INT(t, cpu.task, 5);
	CHECK_INT(t, cpu.left_as, 4);
	CHECK_INT(t, run_of(&every_switch, two_tasks, 4, 20, 2).left_as, 1);
	CHECK_INT(t, RUNS(gone, 30, 2), NOBODY);
	CHECK_INT(t, RUNS(two, 30, 2), NOBODY);
}

static void is_silent_where_switches_are_missing(struct test *t)
{
	const struct profile_recording brief = {.start = 10, .stop = 100, .least_wait = 1};
	static const struct stay early[] = {{1, 1, 5, 0, 0, 0}, {1, 120, 130, 0, 0, 0}};

	CHECK_INT(t, RUNS(early, 9, 0), NOBODY);
	CHECK_INT(t, RUNS(early, 10, 0), 1);
	CHECK_INT(t, RUNS(early, 100, 0), 1);
	CHECK_INT(t, RUNS(early, 101, 0), NOBODY);
	CHECK_INT(t, runs(&brief, two_tasks, 4, 25, 2), NOBODY);
}

static void is_silent_where_waits_contradict(struct test *t)
{
	/* It left another CPU than the one on which it was switched in: a wait in between is missing. */
	static const struct stay moved[] = {{1, 15, 20, 0, 2, 0}, {1, 40, 50, 3, 0, 0}};
	/* Another task was switched in on the CPU in between; also after the moment. */
	static const struct stay other[] = {
		{1, 15, 20, 0, 2, 0}, {1, 40, 50, 2, 0, 0}, {2, 12, 22, 1, 2, 0}, {2, 23, 24, 2, 1, 0}};
	static const struct stay later[] = {{1, 15, 20, 0, 2, 0}, {1, 40, 50, 2, 0, 0}, {2, 12, 35, 1, 2, 0}};
	/* Before it was switched in, and after it left, others may run. */
	static const struct stay around[] = {
		{1, 15, 20, 0, 2, 0}, {1, 40, 50, 2, 0, 0}, {2, 12, 19, 1, 2, 0}, {2, 20, 40, 2, 2, 0}};
	/* Whether the next wait began after the moment is not known. */
	static const struct stay bound[] = {{1, 15, 20, 0, 2, 0}, {1, 40, 50, 2, 0, PROFILE_WAIT_OUT_BOUND}};
	static const struct stay open[] = {{1, 15, 20, 0, 2, PROFILE_WAIT_NOT_ENDED}, {1, 40, 50, 2, 0, 0}};

	CHECK_INT(t, RUNS(moved, 30, 2), NOBODY);
	CHECK_INT(t, RUNS(moved, 30, 3), NOBODY);
	CHECK_INT(t, RUNS(other, 30, 2), NOBODY);
	CHECK_INT(t, RUNS(other, 22, 2), 2); /* the later one, which nothing contradicts */
	CHECK_INT(t, RUNS(later, 30, 2), NOBODY);
	CHECK_INT(t, RUNS(around, 30, 2), 1);
	CHECK_INT(t, RUNS(bound, 30, 2), NOBODY);
	CHECK_INT(t, RUNS(open, 30, 2), NOBODY);
}

/* A wait that seems to begin and end within another one is not followed by a run. */
static void runs_after_the_longer_of_two(struct test *t)
{
	static const struct stay within[] = {{1, 15, 40, 0, 2, 0}, {1, 20, 25, 2, 2, 0}, {1, 60, 70, 2, 0, 0}};

	CHECK_INT(t, RUNS(within, 30, 2), NOBODY);
	CHECK_INT(t, RUNS(within, 40, 2), 1);
	CHECK_INT(t, RUNS(within, 60, 2), NOBODY);
}

/* --- summary --- */

/* A dump has the sums of a thread as of its last report, and its open wait up to the dump's end. */
static void a_wait_after_the_last_sums_is_in_the_wall_time(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = add_wait(p, "A", 1, LOCK, 100, 400);

	wait->flags = PROFILE_WAIT_NOT_ENDED;
	p->recordings.items[0].stop = BOOT + 400 * MS;
	p->sums.items[p->sums.count++] = (struct profile_task_sums){.recording = wait->recording,
							     .task = wait->task,
							     .from = BOOT,
							     .to = BOOT + 90 * MS,
							     .running = 90 * MS};
	fake_check_printed(
		t, p, summary_view.print, &(struct view_settings){.filters = ""},
		"# ms of each thread; who waited longest for a CPU, for a quota, or in D stands last; iowait is part of "
		"blocked\n"
		"#        wall      running    run queue    throttled    blocked S    blocked D        other       iowait      "
		"unknown     waits  thread\n"
		"      400.000       90.000        0.000        0.000      300.000        0.000        0.000        0.000       "
		"10.000         1  A tid 1 pid 1\n");
	fake_free(p);
}

TEST_MAIN(TEST(takes_percentiles_by_nearest_rank), TEST(marks_what_is_a_bound),
	  TEST(survives_large_numbers), TEST(knows_ages_and_their_bounds),
	  TEST(heeds_both_ends_of_a_wait), TEST(finds_a_wait_by_its_printed_beginning),
	  TEST(survives_hostile_numbers), TEST(knows_who_came_in_and_left_later),
	  TEST(knows_threads_by_all_their_names), TEST(is_silent_where_switches_are_missing),
	  TEST(is_silent_where_waits_contradict),
	  TEST(runs_after_the_longer_of_two), TEST(a_wait_after_the_last_sums_is_in_the_wall_time))
