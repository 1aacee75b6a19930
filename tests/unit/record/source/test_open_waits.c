/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Waits that go on while a dump is made: those that the look found and that have not ended by then, each once. */
#include "record/source/open_waits.h"

#include <linux/types.h>

#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/waits_bench.h"

enum { BEFORE = 5000, LOOK = 9000, AFTER = 9500, LEAST = 1000 };

static void open_bench(struct bench *b)
{
	bench_open(b);
	b->made.config.offcpu.least = LEAST;
	made_check(open_waits_create(&b->waits, &b->waits.open));
}

/* A thread that sleeps since `out`, found by the look. */
static struct made_wait_record found(uint32_t tid, uint64_t out)
{
	struct made_wait_record record = made_wait_of(out, LOOK, CPU, tid, "sleeper");

	made_wait_not_ended(&record, tid);
	return record;
}

static bool has(const struct bench *b, uint32_t tid)
{
	for (size_t i = 0; i < told_count(&b->made, EVENT_WAIT); i++)
		if (told(&b->made, EVENT_WAIT, i)->task.tid == tid)
			return true;
	return false;
}

static void what_has_ended_is_not_told(struct test *t)
{
	const struct made_wait_record rows[] = {found(70, BEFORE), found(71, BEFORE), found(72, 8800),
						found(73, BEFORE)};
	struct bench b;

	open_bench(&b);
	b.probe.look_fd = looked(rows, 4, 0);
	CHECK_INT(t, open_waits_look(b.waits.open), 0);
	CHECK_INT(t, b.probe.look.kind, RING_LOOK_OPEN);
	open_waits_end(b.waits.open, 71, AFTER);
	open_waits_end(b.waits.open, 71, AFTER + 1); /* its next one */
	open_waits_end(b.waits.open, 72, LOOK - LEAST);	/* the one before */
	open_waits_end(b.waits.open, 73, LOOK - 3);  /* the same moment, by another clock */
	open_waits_end(b.waits.open, 99, AFTER);     /* was not found */
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_WAIT), 0); /* not yet */
	open_waits_tell(b.waits.open);
	open_waits_tell(b.waits.open);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_WAIT), 2);
	CHECK(t, has(&b, 70) && has(&b, 72));
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 0)->event.wait.flags & WAIT_NOT_ENDED, WAIT_NOT_ENDED);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 0)->event.wait.length, LOOK - BEFORE);
	bench_close(&b);
}

/* What a former look found is forgotten, and a last row that is cut is left out. */
static void each_look_has_its_own_list(struct test *t)
{
	const struct made_wait_record first[] = {found(70, BEFORE), found(71, BEFORE)};
	const struct made_wait_record second[] = {found(71, 8000), found(74, BEFORE), found(75, BEFORE)};
	struct bench b;

	open_bench(&b);
	b.probe.look_fd = looked(first, 2, 0);
	CHECK_INT(t, open_waits_look(b.waits.open), 0);
	open_waits_end(b.waits.open, 71, AFTER);
	b.probe.look_fd = looked(second, 3, 1);
	CHECK_INT(t, open_waits_look(b.waits.open), 0);
	open_waits_tell(b.waits.open);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_WAIT), 2);
	CHECK(t, has(&b, 71) && has(&b, 74));
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 0)->event.wait.length, LOOK - 8000);
	bench_close(&b);
}

TEST_MAIN(TEST(what_has_ended_is_not_told), TEST(each_look_has_its_own_list))
