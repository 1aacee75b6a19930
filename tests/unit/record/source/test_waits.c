/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits, wakeups and stacks laid out by hand as the programs would: what is written about each, and
 * what is counted instead.
 */
#include <linux/types.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/source/wait_objects.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/waits_bench.h"

/* Only a sleeping task is woken; and not after the thread is back. */
static void wakers_are_of_sleepers(struct test *t)
{
	struct made_wait_record preempted = made_wait_of(1000, 5000, CPU, TID, "busy");
	struct made_wait_record none = made_wait_of(5100, 5200, CPU, TID, "busy");
	struct made_wait_record late = made_wait_of(5300, 6000, CPU, TID, "busy");
	struct bench b;

	bench_open(&b);
	preempted.raw.wait_class = RING_WAIT_PREEMPTED;
	made_wait_waker(&preempted, 2000, RING_WAKER_TASK, WAKER, "waker");
	made_wait_waker(&none, 5150, RING_WAKER_NONE, WAKER, "waker");
	made_wait_waker(&late, 6001, RING_WAKER_TASK, WAKER, "waker");
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
	stack.raw.reason = RING_USER_EXITING;
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

/* A wakeup is filtered by the woken task; of what is left out, only waits are counted. */
static void a_late_filter_is_of_who_waited(struct test *t)
{
	struct made_wait_record record = made_wait_of(1000, 5000, CPU, TID, "idler");
	struct made_wake_record wakeup = wake(4000);
	struct bench b;

	bench_open(&b);
	made_check(made_late_filter(&b.filter, "^slee[p]"));
	take(&b, &record);
	waits_take(&b.waits, &wakeup.raw.head, sizeof(wakeup.raw) + 16);
	wakeup.raw.task = made_ring_task(WAKER, "sleepy");
	wakeup.raw.target = made_ring_task(TID, "idler");
	waits_take(&b.waits, &wakeup.raw.head, sizeof(wakeup.raw) + 16);
	record.raw.task = made_ring_task(TID, "sleeper");
	take(&b, &record);
	CHECK_INT(t, b.waits.filtered[CPU], 1);
	CHECK_INT(t, b.waits.filtered[0], 0);
	CHECK_INT(t, b.waits.refused, 0);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_WAIT), 1);
	REQUIRE(t, told_count(&b.made, EVENT_WAKE) == 1);
	CHECK_STR(t, told(&b.made, EVENT_WAKE, 0)->other.comm, "sleeper");
	filter_deinit(&b.filter);
	bench_close(&b);
}

/* --- looks at all tasks --- */

/* More than are read at once. */
static void the_last_look_tells_what_has_not_ended(struct test *t)
{
	enum { COUNT = 4000 };
	struct made_wait_record *records = calloc(COUNT, sizeof(*records));
	uint32_t in_order = 0;
	struct bench b;

	REQUIRE(t, records);
	bench_open(&b);
	for (uint32_t i = 0; i < COUNT; i++) {
		records[i] = made_wait_of(1000, 5000 + i, 3, TID + i, "sleeper");
		records[i].raw.out_cpu = 1;
		if (i % 3 == 0)
			made_wait_frame(&records[i], FAKE_KERNEL + i);
		made_wait_not_ended(&records[i], i);
	}
	b.probe.look_fd = looked(records, COUNT, 0);
	b.probe.look.clock_base = 1234;
	b.probe.clock = (struct ring_clock){.monotonic = 9000, .last_arrival = 5000};
	CHECK_INT(t, waits_stop(&b.waits), 0);
	CHECK_INT(t, b.probe.look.kind, RING_LOOK_LAST);
	CHECK(t, b.probe.look.clock_base == 1234 && b.probe.look.clock_offset == 4000);
	CHECK(t, !b.probe.attached);
	CHECK_INT(t, b.waits.refused, 0);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_WAIT) == COUNT);
	for (size_t i = 0; i < b.made.told.count; i++)
		if (b.made.told.items[i].event.kind == EVENT_WAIT)
			in_order += b.made.told.items[i].event.wait.time == 5000 + in_order &&
				    b.made.told.items[i].task.tid == TID + in_order;
	CHECK_INT(t, in_order, COUNT);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 3)->event.wait.cpu, 1); /* it is on no CPU: its last one */
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 3)->event.wait.flags & WAIT_NOT_ENDED, WAIT_NOT_ENDED);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 3)->kernel[0], fake_kernel_frame(FAKE_KERNEL + 3));
	bench_close(&b);
	bench_open(&b);
	b.probe.look_fd = looked(records, 3, 1);
	CHECK_INT(t, waits_stop(&b.waits), -EBADMSG); /* the last one is truncated */
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_WAIT), 2);
	bench_close(&b);
	free(records);
}

TEST_MAIN(TEST(wakers_are_of_sleepers), TEST(a_stack_from_before_joins_its_wait),
	  TEST(a_late_filter_is_of_who_waited), TEST(the_last_look_tells_what_has_not_ended))
