/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --at compared with hand-written text. */
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.filters = "", .at = {.kind = PROFILE_MOMENT_OFFSET, .ns = 2500 * MS}};

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

TEST_MAIN(TEST(knows_ages_and_their_bounds), TEST(heeds_both_ends_of_a_wait),
	  TEST(finds_a_wait_by_its_printed_beginning), TEST(survives_hostile_numbers))
