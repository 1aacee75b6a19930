/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Invalid records of waits, wakeups, stacks and sums: they are counted, and nothing beyond them is read. */
#include <linux/types.h>

#include "record/stack/user_stacks.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/waits_bench.h"

/* Each of these breaks one rule. */
static void waits_that_are_none_are_refused(struct test *t)
{
	const struct made_wait_record good = made_wait_of(1000, 5000, CPU, TID, "sleeper");
	struct made_wait_record bad[7];
	struct bench b;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		bad[i] = good;
	bad[0].raw.head.kind = RING_SNAPSHOT;
	bad[1].raw.head.kind = UINT16_MAX;
	bad[2].raw.head.cpu = FAKE_CPUS;
	bad[3].raw.out = 5001; /* after its end */
	bad[4].raw.wait_class = RING_WAIT_CLASSES;
	bad[5].raw.kernel_count = 1; /* does not exist */
	bad[6].raw.flags = RING_WAIT_NOT_ENDED; /* likewise the switches */
	bench_open(&b);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		take(&b, &bad[i]);
		CHECK_INT(t, b.waits.refused, i + 1);
	}
	bad[0] = good;
	bad[0].raw.flags = RING_WAIT_HAS_WAKER;
	take(&b, &bad[0]);
	waits_take(&b.waits, &good.raw.head, sizeof(good.raw) - 1);
	bad[1] = good;
	bad[1].raw.kernel_count = RING_MAX_FRAMES + 1;
	waits_take(&b.waits, &bad[1].raw.head, 1 << 20); /* nothing after it is read */
	CHECK_INT(t, b.waits.refused, 10);
	CHECK_INT(t, b.map.asked, 0);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_WAIT), 0);
	CHECK_INT(t, b.made.recording.stop, RECORDING_RUNS);
	bench_close(&b);
}

/* Each cut of a record whose object says that something is beside it. */
static void no_part_of_a_wait_is_read_beyond_its_end(struct test *t)
{
	const struct ring_object object = {.kind = RING_OBJECT_PIPE, .beside = true};
	struct made_wait_record record = made_wait_of(1000, 5000, CPU, TID, "sleeper");
	const size_t least = sizeof(struct ring_head); /* of what is taken for a record */
	size_t whole;
	struct bench b;

	made_wait_object(&record, &object, &(struct ring_beside){0});
	made_wait_not_ended(&record, 3);
	whole = made_wait_bytes(&record);
	CHECK_INT(t, waits_record_length((const char *)&record, whole), whole);
	bench_open(&b);
	for (size_t length = least; length < whole; length++) {
		char *exact = malloc(length);

		made_check(exact ? 0 : -ENOMEM);
		memcpy(exact, &record, length);
		CHECK_INT(t, waits_record_length(exact, length), 0);
		waits_take(&b.waits, (const void *)exact, length);
		CHECK_INT(t, b.waits.refused, length + 1 - least);
		free(exact);
	}
	bench_close(&b);
}

TEST_MAIN(TEST(waits_that_are_none_are_refused), TEST(no_part_of_a_wait_is_read_beyond_its_end))
