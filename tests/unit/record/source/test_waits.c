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

static struct made_wait_record wait_with_everything(void)
{
	struct made_wait_record record = made_wait_of(1000, 5000, CPU, TID, "sleeper");

	made_wait_waker(&record, 4700, RING_WAKER_SOFTIRQ, WAKER, "waker");
	made_wait_frame(&record, FAKE_KERNEL + 0x10);
	made_wait_frame(&record, FAKE_KERNEL + 0x20);
	record.raw.out_cpu = 1;
	record.raw.run_queue = 250;
	record.raw.flags |= RING_WAIT_IOWAIT | RING_WAIT_BEGAN_BEFORE | RING_WAIT_OUT_LATEST |
			    RING_WAIT_KERNEL_TRUNCATED;
	return record;
}

static void a_wait_is_told_as_it_is(struct test *t)
{
	struct made_wait_record record = wait_with_everything();
	const struct event_wait *wait;
	const struct told *event;
	struct bench b;

	bench_open(&b);
	take(&b, &record);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_WAIT) == 1);
	event = told(&b.made, EVENT_WAIT, 0);
	wait = &event->event.wait;
	CHECK(t, wait->time == 5000 && wait->length == 4000 && wait->run_queue == 250 && wait->state == 1);
	CHECK(t, wait->cpu == CPU && wait->out_cpu == 1 && wait->source == SOURCE && wait->wait_class == WAIT_BLOCKED);
	CHECK_INT(t, wait->flags & (WAIT_IOWAIT | WAIT_BEGAN_BEFORE | WAIT_OUT_LATEST |
				    WAIT_KERNEL_TRUNCATED | WAIT_NOT_ENDED | WAIT_USER_LATER),
		  WAIT_IOWAIT | WAIT_BEGAN_BEFORE | WAIT_OUT_LATEST | WAIT_KERNEL_TRUNCATED);
	CHECK(t, wait->context == WAKER_SOFTIRQ && wait->woken == 300);
	CHECK_STR(t, event->task.comm, "sleeper");
	CHECK_STR(t, event->other.comm, "waker");
	CHECK_INT(t, event->other.tid, WAKER);
	CHECK(t, event->kernel_count == 2 && event->kernel[0] == fake_kernel_frame(FAKE_KERNEL + 0x10) &&
			 event->kernel[1] == fake_kernel_frame(FAKE_KERNEL + 0x20));
	CHECK_INT(t, b.waits.refused, 0);
	bench_close(&b);
}

/* Whether the recorder wants objects or not: they are between the waker and the frames. */
static void an_object_is_told_with_what_is_beside_it(struct test *t)
{
	const struct ring_object object = {.context = RING_CALL_NATIVE, .call = 7, .kind = RING_OBJECT_FUTEX,
					   .place = 0x7000, .process = TID, .beside = true};
	const struct ring_beside beside = {.held = RING_HELD_BY_OWNER, .ready = 8,
					   .owner = made_ring_task(WAKER + 1, "owner")};
	const struct told *event;

	for (int wanted = 0; wanted <= 1; wanted++) {
		struct made_wait_record record = made_wait_of(1000, 5000, CPU, TID, "sleeper");
		struct bench b;

		bench_open(&b);
		if (wanted)
			made_check(wait_objects_create(&b.made.recording, &b.waits.objects));
		made_wait_waker(&record, 4700, RING_WAKER_TASK, WAKER, "waker");
		made_wait_object(&record, &object, &beside);
		made_wait_frame(&record, FAKE_KERNEL + 0x10);
		take(&b, &record);
		made_recording_read(&b.made);
		REQUIRE(t, told_count(&b.made, EVENT_WAIT) == 1);
		event = told(&b.made, EVENT_WAIT, 0);
		CHECK_STR(t, event->other.comm, "waker");
		CHECK(t, event->kernel_count == 1 && event->kernel[0] == fake_kernel_frame(FAKE_KERNEL + 0x10));
		CHECK_INT(t, event->event.wait.object, wanted);
		CHECK_INT(t, event->event.wait.owner != 0, wanted);
		CHECK_INT(t, event->event.wait.ready, wanted ? 8 : 0);
		wait_objects_destroy(b.waits.objects);
		bench_close(&b);
	}
}

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

static const struct {
	uint32_t reason, missing;
} reasons[] = {{RING_USER_TAKEN, 0},
	       {RING_USER_FAULT, USER_MISSING_FAULT},
	       {RING_USER_EXITING, USER_MISSING_EXITING},
	       {RING_USER_CHANGED, USER_MISSING_CHANGED},
	       {RING_USER_UNSCHEDULED, USER_MISSING_UNSCHEDULED},
	       {99, USER_MISSING_FAULT}};

static void stacks_that_come_later_are_told_by_themselves(struct test *t)
{
	enum { COUNT = sizeof(reasons) / sizeof(reasons[0]) };
	struct made_wait_record record = made_wait_of(1000, 5000, CPU, TID, "sleeper");
	struct bench b;

	bench_open(&b);
	record.raw.flags = RING_WAIT_USER_LATER;
	take(&b, &record);
	for (uint32_t i = 0; i < COUNT; i++) {
		struct made_user_record stack = made_user_of(6000 + i, 5000, CPU, TID, "sleeper", CODE + 8);

		stack.raw.reason = reasons[i].reason;
		stack.raw.count = !reasons[i].reason;
		take_user(&b, &stack);
	}
	made_recording_read(&b.made);
	CHECK_INT(t, told(&b.made, EVENT_WAIT, 0)->event.wait.flags & WAIT_USER_LATER, WAIT_USER_LATER);
	REQUIRE(t, told_count(&b.made, EVENT_USER_STACK) == COUNT);
	CHECK(t, told(&b.made, EVENT_USER_STACK, 0)->user_count == 1 &&
			 told(&b.made, EVENT_USER_STACK, 0)->user[0] == CODE + 8);
	for (uint32_t i = 0; i < COUNT; i++) {
		CHECK_INT(t, told(&b.made, EVENT_USER_STACK, i)->event.user_stack.since, 1000 + i);
		CHECK_INT(t, told(&b.made, EVENT_USER_STACK, i)->event.user_stack.missing, reasons[i].missing);
	}
	CHECK_INT(t, b.waits.refused, 0);
	bench_close(&b);
}

static void a_wakeup_is_of_two_tasks(struct test *t)
{
	struct made_wake_record record = wake(4000);
	const struct told *event;
	struct bench b;

	bench_open(&b);
	waits_take(&b.waits, &record.raw.head, sizeof(record.raw) + 16);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_WAKE) == 1);
	event = told(&b.made, EVENT_WAKE, 0);
	CHECK(t, event->event.wake.time == 4000 && event->event.wake.context == WAKER_TASK &&
			 event->event.wake.source == SOURCE + 1 && event->event.wake.cpu == CPU);
	CHECK_STR(t, event->task.comm, "waker");
	CHECK_STR(t, event->other.comm, "sleeper");
	CHECK(t, event->kernel_count == 1 && event->kernel[0] == fake_kernel_frame(FAKE_KERNEL + 0x30));
	CHECK(t, event->user_count == 1 && event->user[0] == CODE + 0x40);
	bench_close(&b);
}

static void sums_are_told_kind_by_kind(struct test *t)
{
	struct ring_sums record = {.head = {.time = 9000, .cpu = CPU, .kind = RING_SUMS, .source = SOURCE},
				   .since = 2000,
				   .running = 600,
				   .task = made_ring_task(TID, "sleeper")};
	const struct event_wait_sums *sums;
	struct bench b;

	bench_open(&b);
	record.kinds[RING_SUM_INTERRUPTIBLE] = (struct ring_sum){3, 500, 20, 0};
	record.kinds[RING_SUM_STARTED] = (struct ring_sum){1, 7, 7, 0};
	waits_take(&b.waits, &record.head, sizeof(record));
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_WAIT_SUMS) == 1);
	sums = &told(&b.made, EVENT_WAIT_SUMS, 0)->event.wait_sums;
	CHECK(t, sums->time == 9000 && sums->span == 7000 && sums->running == 600 && sums->source == SOURCE);
	CHECK(t, sums->kinds[WAIT_SUM_INTERRUPTIBLE].count == 3 && sums->kinds[WAIT_SUM_INTERRUPTIBLE].total == 500 &&
			 sums->kinds[WAIT_SUM_INTERRUPTIBLE].run_queue == 20);
	CHECK(t, sums->kinds[WAIT_SUM_STARTED].count == 1 && !sums->kinds[WAIT_SUM_PREEMPTED].count);
	CHECK_STR(t, told(&b.made, EVENT_WAIT_SUMS, 0)->task.comm, "sleeper");
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

/* Nothing is written before the start, and the clock by which lengths are measured is followed from here on. */
static void the_first_look_sets_the_clocks(struct test *t)
{
	struct bench b;

	bench_open(&b);
	b.probe.look_fd = looked(NULL, 0, 0);
	b.probe.look.seen = UINT64_MAX; /* no task is hidden */
	b.probe.clock = (struct ring_clock){.monotonic = 9000, .last_arrival = 5000};
	CHECK_INT(t, waits_open(&b.waits), 0);
	CHECK(t, b.probe.attached && !b.probe.look.armed);
	CHECK_INT(t, b.probe.look.kind, RING_LOOK_FIRST);
	CHECK(t, b.probe.look.clock_base == 4000 && b.probe.look.clock_offset == 4000);
	waits_start(&b.waits);
	CHECK(t, b.probe.look.armed > 1);
	b.probe.clock.monotonic += 7;
	waits_follow_clock(&b.waits);
	CHECK(t, b.probe.look.clock_base == 4000 && b.probe.look.clock_offset == 4007);
	bench_close(&b);
}

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

TEST_MAIN(TEST(a_wait_is_told_as_it_is), TEST(an_object_is_told_with_what_is_beside_it),
	  TEST(wakers_are_of_sleepers), TEST(a_stack_from_before_joins_its_wait),
	  TEST(stacks_that_come_later_are_told_by_themselves), TEST(a_wakeup_is_of_two_tasks),
	  TEST(sums_are_told_kind_by_kind), TEST(a_late_filter_is_of_who_waited),
	  TEST(the_first_look_sets_the_clocks), TEST(the_last_look_tells_what_has_not_ended))
