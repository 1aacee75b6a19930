/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of waits that have not ended, by hand-made copies: each row is written once, with its
 * stack or with why it has none. Defines the functions of record/source/sleepers.h: the test sets
 * the answers of a round.
 */
#include "record/source/unended_waits.h"

#include <linux/types.h>

#include "bpf/ring_sleeper.h"
#include "record/probe/probe.h"
#include "record/source/sleepers.h"
#include "record/source/walk_users.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/made_recording.h"
#include "tests/unit/record/made_waits.h"

enum { SOURCE = 2, TASKS = 8, TID = 70, WORDS = 6, RING = 3 };
#define STACK UINT64_C(0x7ffc00001000)
#define CODE UINT64_C(0x400000)

struct answer {
	struct ring_sleeper raw;
	uint64_t stack[WORDS];
};

struct sleepers { /* of a round */
	uint32_t wanted[TASKS];
	uint64_t switches[TASKS];
	uint32_t count, answered, rounds, most; /* most: wanted at once */
	struct answer answers[TASKS];
	bool stuck; /* no more answers */
};

static struct sleepers fake_sleepers;

int probe_sleepers_page(const struct probe *probe)
{
	(void)probe;
	return RING;
}

int sleepers_create(const struct probe *probe, struct nursery *nursery, uint32_t most, struct sleepers **ret_sleepers)
{
	(void)probe, (void)nursery;
	(void)most;
	fake_sleepers = (struct sleepers){.most = TASKS};
	*ret_sleepers = &fake_sleepers;
	return 0;
}

void sleepers_destroy(struct sleepers *sleepers)
{
	(void)sleepers;
}

int sleepers_want(struct sleepers *sleepers, uint32_t tid, const struct ring_sleeper_wanted *wanted)
{
	if (sleepers->count == sleepers->most || wanted->start != 1000 + tid || wanted->futex) /* made_ring_task() */
		return -E2BIG;
	sleepers->switches[sleepers->count] = wanted->switches;
	sleepers->wanted[sleepers->count++] = tid;
	return 0;
}

void sleepers_begin(struct sleepers *sleepers)
{
	sleepers->rounds++;
}

bool sleepers_step(struct sleepers *sleepers, int timeout_ms, sleeper_take *take, void *context)
{
	fake_now += (uint64_t)timeout_ms * 1000000;
	for (uint32_t i = 0; i < sleepers->answered; i++)
		take(context, &sleepers->answers[i].raw);
	sleepers->answered = 0;
	return !sleepers->stuck;
}

void sleepers_give_up(struct sleepers *sleepers)
{
	sleepers->stuck = false;
}

enum sleeper_left sleepers_forget(struct sleepers *sleepers, uint32_t tid)
{
	(void)sleepers;
	return tid % 2 ? SLEEPER_STUCK : SLEEPER_GONE;
}

struct bench {
	struct made_recording made;
	struct unended_waits waits;
};

static void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	fake_now = UINT64_C(1000000000);
	made_recording_open(&b->made, 4);
	b->waits = (struct unended_waits){.recording = &b->made.recording, .source = SOURCE};
	made_check(walk_users_create(&b->made.recording, NULL, NULL, &b->waits.users));
}

static void bench_close(struct bench *b)
{
	walk_users_destroy(b->waits.users);
	made_recording_close(&b->made);
}

/* Asleep from `out` on, seen at `time`. */
static void add(struct bench *b, uint32_t tid, uint64_t out, uint64_t time)
{
	struct made_wait_record record = made_wait_of(out, time, 1, tid, "sleeper");

	unended_waits_add(&b->waits, &record.raw, 5 * tid);
}

/* The answer about a thread with two frames on its stack. */
static void answer(uint32_t tid, uint32_t outcome)
{
	enum { X86_RBP = 4, X86_IP = 16, X86_CS = 17, USER64_CS = 0x33, ARM64_FP = 29, ARM64_PC = 32 };
	struct answer *made = &fake_sleepers.answers[fake_sleepers.answered++];

	*made = (struct answer){.raw = {.start = 1000 + tid, .tid = tid, .outcome = outcome,
					.address = STACK, .size = sizeof(made->stack)},
				.stack = {0, STACK + 32, CODE + 0x20, 0, 0, 0}};
#if defined(__x86_64__)
	made->raw.registers[X86_IP] = CODE + tid;
	made->raw.registers[X86_RBP] = STACK + 8;
	made->raw.registers[X86_CS] = USER64_CS;
#else
	made->raw.registers[ARM64_PC] = CODE + tid;
	made->raw.registers[ARM64_FP] = STACK + 8;
#endif
}

static const struct told *told_of(const struct bench *b, uint32_t tid)
{
	const struct told *event = told(&b->made, EVENT_USER_STACK, 0);

	for (size_t i = 0; i < told_count(&b->made, EVENT_USER_STACK); i++)
		if (told(&b->made, EVENT_USER_STACK, i)->task.tid == tid)
			event = told(&b->made, EVENT_USER_STACK, i);
	return event;
}

/* Tasks without a timely answer: exited, or stuck; tasks for which there was no room; kernel threads. */
static void what_does_not_come_in_time_is_told_as_missing(struct test *t)
{
	struct made_wait_record kernel = made_wait_of(100, 200, 1, TID + 8, "kworker");
	struct bench b;

	bench_open(&b);
	fake_sleepers.most = 3;
	for (uint32_t i = 0; i < 4; i++)
		add(&b, TID + i, 100, 200);
	kernel.raw.task.kernel_thread = 1;
	unended_waits_add(&b.waits, &kernel.raw, 1);
	unended_waits_begin(&b.waits);
	fake_sleepers.stuck = true;
	answer(TID, RING_SLEEPER_TAKEN);
	unended_waits_step(&b.waits, 10);
	CHECK(t, b.waits.pending);
	unended_waits_finish(&b.waits, 300);
	CHECK(t, !b.waits.pending && !fake_sleepers.stuck);
	CHECK(t, fake_now >= UINT64_C(1310000000) && fake_now <= UINT64_C(1330000000)); /* no longer */
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_USER_STACK), 5);
	CHECK_INT(t, told_of(&b, TID)->event.user_stack.missing, 0);
	CHECK_INT(t, told_of(&b, TID + 1)->event.user_stack.missing, USER_MISSING_BUSY);
	CHECK_INT(t, told_of(&b, TID + 2)->event.user_stack.missing, USER_MISSING_EXITING);
	CHECK_INT(t, told_of(&b, TID + 3)->event.user_stack.missing, USER_MISSING_NO_ROOM);
	CHECK_INT(t, told_of(&b, TID + 8)->event.user_stack.missing, USER_MISSING_KERNEL_THREAD);
	bench_close(&b);
}

/* A wait whose system call began with an earlier one shares its stack with it; one without a begin has its own. */
static void a_stack_is_of_all_waits_of_its_call(struct test *t)
{
	struct made_wait_record record = made_wait_of(4000, fake_now + 500, 1, TID, "sleeper");
	struct bench b;

	bench_open(&b);
	record.raw.out_key = 0;
	unended_waits_add(&b.waits, &record.raw, 1);
	record.raw.task = made_ring_task(TID + 1, "sleeper");
	record.raw.out_key = 3000;
	unended_waits_add(&b.waits, &record.raw, 1);
	unended_waits_begin(&b.waits);
	answer(TID, RING_SLEEPER_TAKEN);
	answer(TID + 1, RING_SLEEPER_TAKEN);
	unended_waits_step(&b.waits, 0);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_USER_STACK) == 2);
	CHECK_INT(t, told_of(&b, TID)->event.user_stack.time, record.raw.head.time); /* never before the wait's own */
	CHECK_INT(t, told_of(&b, TID)->event.user_stack.since, 0);
	CHECK_INT(t, told_of(&b, TID + 1)->event.user_stack.since, record.raw.head.time - 3000);
	bench_close(&b);
}

TEST_MAIN(TEST(what_does_not_come_in_time_is_told_as_missing),
	  TEST(a_stack_is_of_all_waits_of_its_call))
