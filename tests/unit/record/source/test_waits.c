/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Waits, wakeups and stacks laid out by hand as the programs would: what is written about each, what is counted. */
#include "record/source/waits.h"

#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ring.h"
#include "record/source/wait_objects.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/made_recording.h"
#include "tests/unit/record/made_samples.h"

enum { CPU = 2, TID = 70, WAKER = 90 };
#define CODE UINT64_C(0x400000)

struct bench {
	struct kernel_map map;
	struct made_recording made;
	struct probe probe;
	struct filter filter;
	struct waits waits;
};

static void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	made_recording_open_with(&b->made, FAKE_CPUS, &b->map);
	b->waits = (struct waits){.recording = &b->made.recording, .probe = &b->probe, .filter = &b->filter};
	made_check(waits_init(&b->waits));
}

static void bench_close(struct bench *b)
{
	waits_deinit(&b->waits);
	made_recording_close(&b->made);
}

static void take(struct bench *b, const struct made_wait_record *record)
{
	waits_take(&b->waits, &record->raw.head, made_wait_bytes(record));
}

static void take_user(struct bench *b, const struct made_user_record *record)
{
	waits_take(&b->waits, &record->raw.head, made_user_bytes(record));
}

/* Only a sleeping task is woken; and not after the thread is back. */
static void wakers_are_of_sleepers(struct test *t)
{
	struct made_wait_record preempted = made_wait_of(1000, 5000, CPU, TID, "busy");
	struct made_wait_record none = made_wait_of(5100, 5200, CPU, TID, "busy");
	struct made_wait_record late = made_wait_of(5300, 6000, CPU, TID, "busy");
	struct bench b;

	bench_open(&b);
	preempted.raw.wait_class = WAIT_PREEMPTED;
	made_wait_waker(&preempted, 2000, WAKER_TASK, WAKER, "waker");
	made_wait_waker(&none, 5150, WAKER_NONE, WAKER, "waker");
	made_wait_waker(&late, 6001, WAKER_TASK, WAKER, "waker");
	take(&b, &preempted);
	take(&b, &none);
	take(&b, &late);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_WAIT) == 3);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 0)->event.wait.wait_class, WAIT_PREEMPTED);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 0)->event.wait.context, WAKER_NONE);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 1)->event.wait.context, WAKER_NONE);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 2)->event.wait.context, WAKER_TASK);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 2)->event.wait.woken, 0);
	bench_close(&b);
}

/* A stack taken when the thread went to sleep belongs to that wait, and to no other. */
static void a_stack_from_before_joins_its_wait(struct test *t)
{
	struct made_wait_record record = made_wait_of(1000, 5000, CPU, TID, "sleeper");
	struct made_user_record stack = made_user_of(1000, 0, CPU, TID, "sleeper", CODE + 8);
	struct bench b;

	bench_open(&b);
	take_user(&b, &stack);
	stack.raw.head.time = 6000;
	stack.raw.count = 0;
	stack.raw.reason = USER_MISSING_EXITING;
	record.raw.flags = RING_WAIT_USER_BEFORE;
	take(&b, &record);
	take_user(&b, &stack);
	record.raw.head.time = 9000;
	record.raw.out = 6001; /* as exact as possible */
	record.raw.out_key = 6000;
	take(&b, &record);
	take(&b, &record); /* already used */
	record.raw.flags = RING_WAIT_USER_KTHREAD;
	take(&b, &record);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_WAIT) == 4);
	CHECK_INT(t, told_count(&b.made, EVENT_USER_STACK), 0);
	CHECK(t, told(&b.made, EVENT_WAIT, 0)->user_count == 1 && told(&b.made, EVENT_WAIT, 0)->user[0] == CODE + 8);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 0)->event.wait.missing, 0);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 1)->user_count, 0);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 1)->event.wait.missing, USER_MISSING_EXITING);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 2)->event.wait.missing, USER_MISSING_NO_ROOM);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 3)->event.wait.missing, USER_MISSING_KERNEL_THREAD);
	bench_close(&b);
}

/* --- invalid records --- */

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
	bad[4].raw.wait_class = WAIT_THROTTLED;
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
	const struct ring_object object = {.kind = OBJECT_PIPE, .beside = true};
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

/* --- what waits were for --- */

struct objects_bench {
	struct made_recording made;
	struct wait_objects *objects;
};

static void objects_open(struct objects_bench *b)
{
	made_recording_open(&b->made, 4);
	made_check(wait_objects_create(&b->made.recording, &b->objects));
}

static void objects_close(struct objects_bench *b)
{
	wait_objects_destroy(b->objects);
	made_recording_close(&b->made);
}

static struct event_wait take_object(struct objects_bench *b, const struct ring_object *raw)
{
	struct event_wait wait = {.time = 1000};

	wait_objects_take(b->objects, raw, &wait);
	return wait;
}

/* Programs write a name once, and would not write it again if they did not learn that it was forgotten. */
static void tells_the_programs_that_names_were_forgotten(struct test *t)
{
	enum { MANY = 1 << 20 };
	struct ring_object raw = {.context = WAIT_IN_CALL, .kind = OBJECT_FUTEX, .place = 0x7000, .token = 1};
	struct ring_name first = {.token = 1, .mapping = OBJECT_IN_SHARED}, other = first;
	__u64 waits = 0, walks = 0;
	struct objects_bench b;

	objects_open(&b);
	wait_objects_share(b.objects, &waits);
	wait_objects_share(b.objects, &walks);
	wait_objects_name(b.objects, &first);
	(void)take_object(&b, &raw);
	for (other.token = 3; other.token < MANY && !waits; other.token += 2)
		wait_objects_name(b.objects, &other);
	CHECK_INT(t, waits, 1);
	CHECK_INT(t, walks, 1);
	raw.place += 4;
	(void)take_object(&b, &raw);
	wait_objects_name(b.objects, &first);
	(void)take_object(&b, &raw);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_OBJECT) == 3);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 0)->event.object.mapping, OBJECT_IN_SHARED);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 1)->event.object.mapping, 0);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 2)->event.object.mapping, OBJECT_IN_SHARED);
	objects_close(&b);
}

TEST_MAIN(TEST(wakers_are_of_sleepers), TEST(a_stack_from_before_joins_its_wait),
	  TEST(waits_that_are_none_are_refused), TEST(no_part_of_a_wait_is_read_beyond_its_end),
	  TEST(tells_the_programs_that_names_were_forgotten))
