/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What waits were for, laid out by hand as the programs would: which objects are written, what waits say of them. */
#include "record/source/wait_objects.h"

#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "bpf/ring_object.h"
#include "tests/test.h"
#include "tests/unit/record/made_recording.h"


struct bench {
	struct made_recording made;
	struct wait_objects *objects;
};

static void bench_open(struct bench *b)
{
	made_recording_open(&b->made, 4);
	made_check(wait_objects_create(&b->made.recording, &b->objects));
}

static void bench_close(struct bench *b)
{
	wait_objects_destroy(b->objects);
	made_recording_close(&b->made);
}

static struct event_wait take(struct bench *b, const struct ring_object *raw)
{
	struct event_wait wait = {.time = 1000};

	wait_objects_take(b->objects, raw, &wait);
	return wait;
}

/* Where a futex is can be found out after its first waits, which have it, too. */
static void a_futex_keeps_its_number_when_its_place_is_found(struct test *t)
{
	const struct ring_object raw = {.context = RING_CALL_NATIVE, .kind = RING_OBJECT_FUTEX, .place = 0x7000,
					.process = 70, .token = 5};
	struct ring_name name = {.token = 5, .length = 4, .mapping = RING_MAPPING_SHARED, .inode = 12,
				 .offset = 0x40};
	struct bench b;

	memcpy(name.bytes + RING_NAME_BYTES - 4, "/mem", 4);
	bench_open(&b);
	CHECK_INT(t, take(&b, &raw).object, 1);
	CHECK_INT(t, take(&b, &raw).object, 1);
	wait_objects_name(b.objects, &name);
	CHECK_INT(t, take(&b, &raw).object, 1);
	CHECK_INT(t, take(&b, &raw).object, 1);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_OBJECT) == 2);
	for (size_t i = 0; i < 2; i++)
		CHECK_INT(t, told(&b.made, EVENT_OBJECT, i)->event.object.number, 1);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 0)->event.object.mapping, 0);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 1)->event.object.mapping, OBJECT_IN_SHARED);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 1)->event.object.offset, 0x40);
	bench_close(&b);
}

/* Programs write names again from time to time. What is mapped there, or its path, may be another by then. */
static void another_name_makes_another_object(struct test *t)
{
	const struct ring_object raw = {.context = RING_CALL_NATIVE, .kind = RING_OBJECT_FUTEX, .place = 0x7000,
					.token = 5};
	struct ring_name name = {.token = 5, .length = 4, .mapping = RING_MAPPING_SHARED, .inode = 12};
	struct bench b;

	memcpy(name.bytes + RING_NAME_BYTES - 4, "/mem", 4);
	bench_open(&b);
	wait_objects_name(b.objects, &name);
	CHECK_INT(t, take(&b, &raw).object, 1);
	wait_objects_name(b.objects, &name);
	CHECK_INT(t, take(&b, &raw).object, 1);
	memcpy(name.bytes + RING_NAME_BYTES - 4, "/new", 4);
	wait_objects_name(b.objects, &name);
	CHECK_INT(t, take(&b, &raw).object, 2);
	CHECK_INT(t, take(&b, &raw).object, 2);
	name.inode = 13;
	wait_objects_name(b.objects, &name);
	CHECK_INT(t, take(&b, &raw).object, 3);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_OBJECT) == 3);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 2)->event.object.inode, 13);
	bench_close(&b);
}

/* Programs write a name once, and would not write it again if they did not learn that it was forgotten. */
static void tells_the_programs_that_names_were_forgotten(struct test *t)
{
	enum { MANY = 1 << 20 };
	struct ring_object raw = {.context = RING_CALL_NATIVE, .kind = RING_OBJECT_FUTEX, .place = 0x7000, .token = 1};
	struct ring_name first = {.token = 1, .mapping = RING_MAPPING_SHARED}, other = first;
	__u64 waits = 0, walks = 0;
	struct bench b;

	bench_open(&b);
	wait_objects_share(b.objects, &waits);
	wait_objects_share(b.objects, &walks);
	wait_objects_name(b.objects, &first);
	(void)take(&b, &raw);
	for (other.token = 3; other.token < MANY && !waits; other.token += 2)
		wait_objects_name(b.objects, &other);
	CHECK_INT(t, waits, 1);
	CHECK_INT(t, walks, 1);
	raw.place += 4;
	(void)take(&b, &raw);
	wait_objects_name(b.objects, &first);
	(void)take(&b, &raw);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_OBJECT) == 3);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 0)->event.object.mapping, OBJECT_IN_SHARED);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 1)->event.object.mapping, 0);
	CHECK_INT(t, told(&b.made, EVENT_OBJECT, 2)->event.object.mapping, OBJECT_IN_SHARED);
	bench_close(&b);
}

static void refuses_kinds_that_there_are_not(struct test *t)
{
	const struct ring_object raw = {.context = RING_CALL_NATIVE, .kind = RING_OBJECT_BLOCK + 1};
	const struct ring_beside beside = {.ready = 8, .object = {.kind = RING_OBJECT_BLOCK + 1}};
	struct event_wait wait;
	struct bench b;

	bench_open(&b);
	wait = take(&b, &raw);
	CHECK(t, !wait.object && !wait.call);
	wait_objects_beside(b.objects, &beside, &wait);
	CHECK_INT(t, wait.ready_object, 0);
	bench_close(&b);
}

TEST_MAIN(TEST(a_futex_keeps_its_number_when_its_place_is_found),
	  TEST(another_name_makes_another_object),
	  TEST(tells_the_programs_that_names_were_forgotten),
	  TEST(refuses_kinds_that_there_are_not))
