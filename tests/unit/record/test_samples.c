/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Samples laid out by hand as a program would: what is written about each, what is counted instead; and chains of frame pointers. */
#include "record/source/samples.h"

#include "format/snapshot_code.h"
#include "record/source/held_stacks.h"
#include "record/source/walk_users.h"
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
	b->samples = (struct samples){.recording = &b->made.recording, .filter = &b->filter, .events.period = PERIOD};
	made_check(samples_init(&b->samples));
	made_recording_map(&b->made, TID, CODE);
}

static void bench_close(struct bench *b)
{
	samples_deinit(&b->samples);
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

/* --- frame pointers --- */

enum { ROOM = 8, WORDS = 8 };
#define BASE UINT64_C(0x7ffc00001000)
#define AT(word) (BASE + 8 * (word))

#if defined(__x86_64__)
enum { FRAME = 6, INSTRUCTION = 16 };
#else
enum { FRAME = 29, INSTRUCTION = 32 };
#endif

struct stack {
	struct snapshot snapshot;
	uint64_t words[WORDS], frames[ROOM];
	bool cut;
};

/* Two frames: one at word 1, the next at word 4, which ends the chain. */
static void stack_init(struct stack *stack)
{
	*stack = (struct stack){.snapshot = {.address = BASE, .count = WORDS}};
	stack->snapshot.words = stack->words;
	stack->snapshot.registers[INSTRUCTION] = CODE;
	stack->snapshot.registers[FRAME] = AT(1);
	stack->words[1] = AT(4);
	stack->words[2] = CODE + 1;
	stack->words[4] = 0;
	stack->words[5] = CODE + 2;
}

static uint32_t chain(struct stack *stack, uint32_t room)
{
	return frame_chain(&stack->snapshot, stack->frames, room, &stack->cut);
}

static void ends_where_frames_do_not_grow(struct test *t)
{
	static const uint64_t nexts[] = {AT(1), AT(0), BASE - 8, AT(2), AT(4) + 1, 0, UINT64_MAX, UINT64_MAX - 7};
	static const uint64_t firsts[] = {0, BASE - 8, AT(1) + 4, AT(WORDS - 1), AT(WORDS), UINT64_MAX - 7};
	struct stack stack;

	stack_init(&stack);
	CHECK_INT(t, chain(&stack, ROOM), 3);
	for (uint64_t i = 0; i < 3; i++)
		CHECK_INT(t, stack.frames[i], CODE + i);
	for (size_t i = 0; i < sizeof(nexts) / sizeof(nexts[0]); i++) {
		stack_init(&stack);
		stack.words[1] = nexts[i];
		CHECK_INT(t, chain(&stack, ROOM), 2);
	}
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		stack_init(&stack);
		stack.snapshot.registers[FRAME] = firsts[i];
		CHECK_INT(t, chain(&stack, ROOM), 1);
	}
	CHECK(t, !stack.cut);
}

/* The last word alone is not a frame; a frame beyond the copy is truncated only if the stack is known to continue. */
static void says_what_is_cut(struct test *t)
{
	struct stack stack;

	stack_init(&stack);
	stack.words[4] = AT(WORDS - 1);
	CHECK_INT(t, chain(&stack, ROOM), 3);
	CHECK(t, !stack.cut);
	stack.snapshot.flags = SNAPSHOT_CUT;
	CHECK_INT(t, chain(&stack, ROOM), 3);
	CHECK(t, stack.cut);
	stack_init(&stack);
	CHECK_INT(t, chain(&stack, 2), 2);
	CHECK(t, stack.cut);
	CHECK_INT(t, chain(&stack, 3), 3);
	CHECK(t, !stack.cut);
}

static void copies_of_next_to_nothing(struct test *t)
{
	struct stack stack;

	stack_init(&stack);
	for (uint32_t count = 0; count < 3; count++) {
		stack.snapshot.count = count;
		CHECK_INT(t, chain(&stack, ROOM), 1);
	}
	CHECK_INT(t, chain(&stack, 0), 0);
}

TEST_MAIN(TEST(what_is_cut_is_said_where_it_was_a_stack), TEST(a_stack_with_a_snapshot_is_not_cut),
	  TEST(what_is_no_sample_is_refused), TEST(ends_where_frames_do_not_grow),
	  TEST(says_what_is_cut), TEST(copies_of_next_to_nothing))
