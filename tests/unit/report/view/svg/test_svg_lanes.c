/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Lanes of a timeline and what is drawn in their columns, from hand-written waits. A column is 10 ms. */
#include "report/view/svg/svg_lanes.h"

#include "tests/unit/report/view/fake_events.h"

enum { COLUMN_MS = 10, WHOLE_MS = SVG_COLUMNS * COLUMN_MS };

static struct profile *recorded(void)
{
	struct profile *p = fake_recorded();

	p->recordings[0].stop = BOOT + WHOLE_MS * MS;
	return p;
}

static struct profile_wait *waits(struct profile *p, const char *comm, uint32_t tid, uint64_t out_ms, uint64_t in_ms)
{
	return fake_wait(p, comm, tid, "f", BOOT + out_ms * MS, BOOT + in_ms * MS);
}

/* It was accounted for from one moment to another, and could have run all the time. */
static void lives(struct profile *p, uint32_t task, uint64_t from_ms, uint64_t to_ms)
{
	p->sums[p->sum_count++] = (struct profile_task_sums){
		.task = task, .from = BOOT + from_ms * MS, .to = BOOT + to_ms * MS,
		.running = (to_ms - from_ms) * MS};
}

static struct svg_lane *lane_of(struct svg_lanes *lanes, const struct profile *p, uint32_t tid)
{
	for (size_t i = 0; i < lanes->items.count; i++)
		if (p->tasks[lanes->items.items[i].time.task].tid == tid)
			return &lanes->items.items[i];
	return NULL;
}

/* The columns of a thread's lane. */
static struct svg_columns columns_of(struct test *t, struct profile *p, uint32_t tid)
{
	static struct svg_columns columns;
	struct svg_lane *lane;
	struct svg_lanes lanes;

	columns = (struct svg_columns){0};
	CHECK_INT(t, svg_lanes_init(&lanes, p), 0);
	lane = lane_of(&lanes, p, tid);
	if (CHECK(t, lane))
		svg_lanes_fill(&lanes, lane, &columns);
	svg_lanes_deinit(&lanes);
	free(p);
	return columns;
}

static uint64_t sum_ms(const struct svg_columns *columns, enum svg_state state)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SVG_COLUMNS; i++)
		sum += columns->sums[state][i];
	return sum / MS;
}

static void running_needs_evidence(struct test *t)
{
	for (uint64_t ran = 0; ran <= 60; ran += 30) {
		struct profile *p = recorded();
		struct svg_columns columns;

		waits(p, "nap", 7, 1060, 1100);
		lives(p, 0, 1000, 1100);
		p->sums[0].running = ran * MS;
		columns = columns_of(t, p, 7);
		CHECK_INT(t, sum_ms(&columns, SVG_ASLEEP), 40);
		CHECK_INT(t, sum_ms(&columns, SVG_RAN), ran ? 60 : 0);
	}
}

static void divides_a_wait_among_its_columns(struct test *t)
{
	struct profile *p = recorded();
	struct svg_columns columns;

	waits(p, "nap", 7, 1003, 1025);
	lives(p, 0, 1000, 1040);
	columns = columns_of(t, p, 7);
	CHECK_INT(t, columns.sums[SVG_ASLEEP][99], 0);
	CHECK_INT(t, columns.sums[SVG_ASLEEP][100], 7 * MS);
	CHECK_INT(t, columns.sums[SVG_ASLEEP][101], 10 * MS);
	CHECK_INT(t, columns.sums[SVG_ASLEEP][102], 5 * MS);
	CHECK_INT(t, columns.sums[SVG_ASLEEP][103], 0);
	CHECK_INT(t, columns.sums[SVG_RAN][100], 3 * MS);
	CHECK_INT(t, columns.sums[SVG_RAN][101], 0);
	CHECK_INT(t, columns.sums[SVG_RAN][102], 5 * MS);
	CHECK_INT(t, columns.sums[SVG_RAN][103], 10 * MS);
	CHECK_INT(t, columns.sums[SVG_RAN][104], 0); /* it had gone */
	CHECK_INT(t, svg_columns_state(&columns, 100, 1), SVG_ASLEEP);
	CHECK_INT(t, svg_columns_state(&columns, 103, 1), SVG_RAN);
	CHECK_INT(t, svg_columns_state(&columns, 100, 4), SVG_ASLEEP); /* 22 of 40 ms */
	CHECK_INT(t, svg_columns_state(&columns, 102, 1), SVG_RAN);    /* a tie */
	CHECK_INT(t, svg_columns_state(&columns, 104, SVG_COLUMNS), SVG_UNKNOWN);
}

static void shows_the_run_queue_after_the_sleep(struct test *t)
{
	struct profile *p = recorded();
	struct profile_wait *wait = waits(p, "disk", 7, 100, 140);
	struct svg_columns columns;

	wait->state = 2;
	fake_waker(p, wait, "irq", 1, "", BOOT + 120 * MS);
	wait = waits(p, "disk", 7, 200, 230);
	wait->wait_class = PROFILE_PREEMPTED;
	wait->state = 0;
	columns = columns_of(t, p, 7);
	CHECK_INT(t, sum_ms(&columns, SVG_DEEP), 20);
	CHECK_INT(t, sum_ms(&columns, SVG_QUEUED), 50);
	CHECK_INT(t, sum_ms(&columns, SVG_ASLEEP), 0);
	CHECK_INT(t, columns.sums[SVG_DEEP][11], 10 * MS);
	CHECK_INT(t, columns.sums[SVG_QUEUED][12], 10 * MS);
	CHECK_INT(t, columns.sums[SVG_QUEUED][22], 10 * MS);
}

static void cuts_what_overlaps_or_is_outside(struct test *t)
{
	struct profile *p = recorded();
	struct profile_wait *wait = waits(p, "odd", 7, 0, 50);
	struct svg_columns columns;

	wait->out -= 200 * MS;
	waits(p, "odd", 7, 40, 60);
	waits(p, "odd", 7, WHOLE_MS - 5, WHOLE_MS + 700);
	columns = columns_of(t, p, 7);
	CHECK_INT(t, sum_ms(&columns, SVG_ASLEEP), 65);
	CHECK_INT(t, columns.sums[SVG_ASLEEP][4], 10 * MS);
	CHECK_INT(t, columns.sums[SVG_ASLEEP][SVG_COLUMNS - 1], 5 * MS);
}

static void leaves_out_what_nobody_asked_for(struct test *t)
{
	struct profile *p = recorded();
	struct svg_columns columns;

	waits(p, "two", 7, 100, 200)->flags = PROFILE_WAIT_UNASKED;
	waits(p, "two", 7, 300, 400);
	lives(p, 0, 0, 1000);
	p->sums[0].unasked = true;
	columns = columns_of(t, p, 7);
	CHECK_INT(t, sum_ms(&columns, SVG_ASLEEP), 100);
	CHECK_INT(t, sum_ms(&columns, SVG_RAN), 0);
}

static void orders_by_what_held_them_up(struct test *t)
{
	static const uint32_t want[] = {30, 20, 10, 50, 40}; /* queued longest, blocked longer, less, samples */
	struct profile *p = recorded();
	struct svg_lanes lanes;

	waits(p, "less", 10, 100, 150);
	waits(p, "more", 20, 100, 250);
	fake_waker(p, waits(p, "queue", 30, 100, 130), "less", 10, "", BOOT + 120 * MS);
	(void)fake_source(p, PROFILE_CPU, "cpu", "events");
	fake_event(p, 1, PROFILE_NO_PROBE, "once", 40, BOOT + 200 * MS, "g");
	fake_event(p, 1, PROFILE_NO_PROBE, "twice", 50, BOOT + 300 * MS, "g");
	fake_event(p, 1, PROFILE_NO_PROBE, "twice", 50, BOOT + 400 * MS, "g");
	REQUIRE(t, !svg_lanes_init(&lanes, p));
	CHECK_INT(t, lanes.items.count, 5);
	for (size_t i = 0; i < lanes.items.count && i < 5; i++) {
		CHECK_INT(t, p->tasks[lanes.items.items[i].time.task].tid, want[i]);
		CHECK_INT(t, lanes.items.items[i].waited, want[i] < 40);
		CHECK_INT(t, lanes.place[lanes.items.items[i].number], i);
	}
	CHECK_INT(t, lane_of(&lanes, p, 50)->samples, 2);
	svg_lanes_deinit(&lanes);
	free(p);
}

/* A thread that was only sampled has its last comm, and one lane. */
static void keeps_a_renamed_thread_in_one_lane(struct test *t)
{
	struct profile *p = recorded();
	struct svg_lanes lanes;

	(void)fake_source(p, PROFILE_CPU, "cpu", "events");
	fake_event(p, 1, PROFILE_NO_PROBE, "sh", 40, BOOT + 200 * MS, "g");
	fake_event(p, 1, PROFILE_NO_PROBE, "make", 40, BOOT + 300 * MS, "g");
	REQUIRE(t, !svg_lanes_init(&lanes, p));
	CHECK_INT(t, lanes.items.count, 1);
	CHECK_INT(t, lanes.items.items[0].samples, 2);
	CHECK_STR(t, p->tasks[lanes.items.items[0].time.task].comm, "make");
	svg_lanes_deinit(&lanes);
	free(p);
}

static void ticks_the_columns_of_samples(struct test *t)
{
	struct profile *p = recorded();
	unsigned int ticked = 0;
	struct svg_lanes lanes;
	struct svg_lane *lane;

	(void)fake_source(p, PROFILE_CPU, "cpu", "events");
	fake_event(p, 1, PROFILE_NO_PROBE, "spin", 40, BOOT, "g");
	fake_event(p, 1, PROFILE_NO_PROBE, "spin", 40, BOOT + 310 * MS - 1, "g");
	fake_event(p, 1, PROFILE_NO_PROBE, "mute", 41, BOOT + 500 * MS, "g");
	fake_event(p, 1, PROFILE_NO_PROBE, "spin", 40, BOOT + WHOLE_MS * MS, "g");
	REQUIRE(t, !svg_lanes_init(&lanes, p));
	lane = lane_of(&lanes, p, 40);
	lane->ticks = calloc(SVG_COLUMNS, 1);
	REQUIRE(t, lane->ticks);
	CHECK_INT(t, svg_lanes_mark(&lanes), 0);
	for (size_t i = 0; i < SVG_COLUMNS; i++)
		ticked += lane->ticks[i];
	CHECK_INT(t, ticked, 3);
	CHECK(t, lane->ticks[0] && lane->ticks[30] && lane->ticks[SVG_COLUMNS - 1]);
	CHECK(t, !lane_of(&lanes, p, 41)->ticks);
	svg_lanes_deinit(&lanes);
	free(p);
}

/* Columns of long recordings: nothing overflows, the last one ends where the range ends. */
static void columns_fill_the_range(struct test *t)
{
	static const struct svg_range ranges[] = {{0, 1}, {5, 7}, {1, UINT64_MAX / 2}, {BOOT, WHOLE_MS * MS}};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint64_t before = ranges[i].from;

		CHECK(t, svg_column_time(ranges[i], 0) == ranges[i].from);
		CHECK(t, svg_column_time(ranges[i], SVG_COLUMNS) == ranges[i].from + ranges[i].length);
		for (uint32_t column = 1; column <= SVG_COLUMNS; column++) {
			uint64_t time = svg_column_time(ranges[i], column);

			if (time < before)
				test_check(t, 0, "range %zu, column %u", i, column);
			before = time;
		}
	}
}

TEST_MAIN(TEST(running_needs_evidence),
	  TEST(divides_a_wait_among_its_columns), TEST(shows_the_run_queue_after_the_sleep),
	  TEST(cuts_what_overlaps_or_is_outside), TEST(leaves_out_what_nobody_asked_for),
	  TEST(orders_by_what_held_them_up), TEST(keeps_a_renamed_thread_in_one_lane),
	  TEST(ticks_the_columns_of_samples), TEST(columns_fill_the_range))
