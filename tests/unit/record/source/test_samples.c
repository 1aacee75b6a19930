/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Samples laid out by hand as a program would: what is written about each, and what is counted instead. */
#include "record/source/samples.h"

#include "record/stack/snapshots.h"
#include "tests/test.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/made_recording.h"
#include "tests/unit/record/made_samples.h"

enum { CPUS = 4, CPU = 2, TID = 70, PERIOD = 250000 };
#define CODE UINT64_C(0x400000)
#define NO_CODE UINT64_C(17)

struct bench {
	struct kernel_map map;
	struct made_recording made;
	struct filter filter;
	struct samples samples;
};

static void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	made_recording_open_with(&b->made, CPUS, &b->map);
	made_check(samples_open(&b->samples, &b->made.recording, &b->filter));
	b->samples.period = PERIOD;
	made_recording_map(&b->made, TID, CODE);
}

static void bench_close(struct bench *b)
{
	samples_close(&b->samples);
	made_recording_close(&b->made);
}

static void take(struct bench *b, const struct made_sample_record *record)
{
	samples_take(&b->samples, &record->raw.head, made_sample_bytes(record));
}

/* Two kernel frames, two user frames. */
static struct made_sample_record sample(uint64_t time)
{
	struct made_sample_record record = made_sample_of(time, CPU, TID, "worker");

	record.raw.period = PERIOD;
	record.raw.kernel_count = record.raw.user_count = 2;
	record.frames[0] = FAKE_KERNEL + 0x10;
	record.frames[1] = FAKE_KERNEL + 0x20;
	record.frames[2] = CODE + 0x30;
	record.frames[3] = CODE + 0x40;
	return record;
}

/* If the program's limit only cut off words that are not part of the stack, nothing was truncated. */
static void what_is_cut_is_said_where_it_was_a_stack(struct test *t)
{
	struct made_sample_record record = sample(5000);
	struct bench b;

	bench_open(&b);
	record.raw.flags = RING_SAMPLE_USER_TRUNCATED;
	take(&b, &record);
	CHECK_INT(t, b.samples.whole[CPU], 0);
	record.frames[3] = NO_CODE;
	take(&b, &record);
	CHECK_INT(t, b.samples.whole[CPU], 1);
	record.raw.flags |= RING_SAMPLE_KERNEL_TRUNCATED;
	take(&b, &record);
	CHECK_INT(t, b.samples.whole[CPU], 1);
	made_recording_read(&b.made);
	CHECK_INT(t, told(&b.made, EVENT_SAMPLE, 0)->event.sample.flags & SAMPLE_USER_TRUNCATED, SAMPLE_USER_TRUNCATED);
	CHECK_INT(t, told(&b.made, EVENT_SAMPLE, 0)->user_count, 2);
	CHECK_INT(t, told(&b.made, EVENT_SAMPLE, 1)->event.sample.flags & SAMPLE_USER_TRUNCATED, 0);
	CHECK_INT(t, told(&b.made, EVENT_SAMPLE, 1)->user_count, 1);
	CHECK_INT(t, told(&b.made, EVENT_SAMPLE, 2)->event.sample.flags &
			     (SAMPLE_USER_TRUNCATED | SAMPLE_KERNEL_TRUNCATED),
		  SAMPLE_KERNEL_TRUNCATED);
	bench_close(&b);
}

/* Reports unwind a snapshot: where the frame pointers of the same stack lead does not matter then. */
static void a_stack_with_a_snapshot_is_not_cut(struct test *t)
{
	struct made_sample_record record = sample(5000);
	struct snapshot_told told[CPUS][RING_SLOTS] = {0};
	struct snapshots snapshots = {.told = told[0]};
	struct bench b;

	bench_open(&b);
	b.samples.snapshots = &snapshots;
	record.frames[3] = NO_CODE;
	take(&b, &record);
	CHECK_INT(t, b.made.recording.cuts[record.raw.head.source].astray, 1);
	record.raw.flags = RING_SAMPLE_SNAPSHOT | RING_SAMPLE_USER_TRUNCATED;
	told[CPU][0] = (struct snapshot_told){.time = 5000, .source = record.raw.head.source, .number = 1};
	take(&b, &record);
	CHECK_INT(t, b.made.recording.cuts[record.raw.head.source].astray, 1);
	CHECK_INT(t, b.samples.whole[CPU], 1);
	take(&b, &record); /* as if it was lost */
	CHECK_INT(t, b.made.recording.cuts[record.raw.head.source].astray, 2);
	CHECK_INT(t, b.made.recording.cuts[record.raw.head.source].unknown, 0);
	record.raw.task.tgid = TID + 1; /* whose mappings are not known */
	take(&b, &record);
	CHECK_INT(t, b.made.recording.cuts[record.raw.head.source].astray, 2);
	CHECK_INT(t, b.made.recording.cuts[record.raw.head.source].unknown, 1);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_SAMPLE), 4);
	bench_close(&b);
}

static void what_is_no_sample_is_refused(struct test *t)
{
	const struct made_sample_record good = sample(5000);
	struct made_sample_record record = good;
	struct bench b;

	bench_open(&b);
	samples_take(&b.samples, &good.raw.head, sizeof(good.raw) - 1);
	CHECK_INT(t, b.samples.refused, 1);
	samples_take(&b.samples, &good.raw.head, made_sample_bytes(&good) - 1); /* not all of its frames */
	CHECK_INT(t, b.samples.refused, 2);
	record.raw.head.cpu = CPUS;
	take(&b, &record);
	CHECK_INT(t, b.samples.refused, 3);
	made_check(made_late_filter(&b.filter, "^nobod[y]"));
	take(&b, &record); /* nor filtered: that is counted by CPU */
	CHECK_INT(t, b.samples.refused, 4);
	filter_deinit(&b.filter);
	record = good;
	record.raw.kernel_count = RING_MAX_FRAMES + 1;
	samples_take(&b.samples, &record.raw.head, 1 << 20); /* nothing after it is read */
	CHECK_INT(t, b.samples.refused, 5);
	record = good;
	record.raw.user_count = RING_MAX_FRAMES + 1;
	samples_take(&b.samples, &record.raw.head, 1 << 20);
	CHECK_INT(t, b.samples.refused, 6);
	record = good;
	record.raw.head.source = UINT16_MAX; /* refused by the encoder */
	take(&b, &record);
	CHECK_INT(t, b.samples.refused, 7);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_SAMPLE), 0);
	CHECK_INT(t, b.made.recording.stop, RECORDING_RUNS);
	bench_close(&b);
}

TEST_MAIN(TEST(what_is_cut_is_said_where_it_was_a_stack), TEST(a_stack_with_a_snapshot_is_not_cut),
	  TEST(what_is_no_sample_is_refused))
