/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include <linux/types.h>

#include "bpf/ring_wait.h"
#include "format/event_log.h"
#include "format/snapshot_code.h"
#include "record/place/hits.h"
#include "record/place/kernel_chains.h"
#include "record/plan/filter.h"
#include "record/plan/recording.h"
#include "record/source/waits.h"
#include "record/stack/frame_chain.h"
#include "record/stack/hold_table.h"
#include "record/stack/snapshots.h"
#include "record/stack/user_stacks.h"
#include "tests/fault/memory_io.h"
#include "tests/test.h"

/*
 * Frame chain: Frame-pointer chains on hand-made stacks: a frame is the caller's frame pointer,
 * then the return address.
 */

enum { ROOM = 8, WORDS = 8 };
#define BASE UINT64_C(0x7ffc00001000)
#define CODE UINT64_C(0x400000)
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

static void follows_frames(struct test *t)
{
	struct stack stack;

	stack_init(&stack);
	CHECK_INT(t, chain(&stack, ROOM), 3);
	for (int i = 0; i < 3; i++)
		CHECK_INT(t, stack.frames[i], CODE + (uint64_t)i);
	CHECK(t, !stack.cut);
}

static void ends_where_frames_do_not_grow(struct test *t)
{
	static const uint64_t nexts[] = {AT(1), AT(0), BASE - 8, AT(2), AT(4) + 1, 0, UINT64_MAX, UINT64_MAX - 7};

	for (size_t i = 0; i < sizeof(nexts) / sizeof(nexts[0]); i++) {
		struct stack stack;

		stack_init(&stack);
		stack.words[1] = nexts[i];
		CHECK_INT(t, chain(&stack, ROOM), 2);
		CHECK(t, !stack.cut);
	}
}

static void leaf_alone(struct test *t)
{
	static const uint64_t firsts[] = {0, BASE - 8, AT(1) + 4, AT(WORDS - 1), AT(WORDS), UINT64_MAX - 7};

	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		struct stack stack;

		stack_init(&stack);
		stack.snapshot.registers[FRAME] = firsts[i];
		CHECK_INT(t, chain(&stack, ROOM), 1);
		CHECK_INT(t, stack.frames[0], CODE);
	}
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

/* Hold table: Whose items are held: all for which a set has places, and the latest. */

enum { ONE_SET = HOLD_WAYS, FIRST = 5000 };

static void table_open(struct hold_table *table, uint32_t places)
{
	const struct hold_limits limits = {.threads = 0, .least = places, .place = 1, .most = places};

	*table = (struct hold_table){0};
	if (hold_table_init(table, &limits) < 0)
		table->count = 0;
}

/* Thread FIRST + n leaves the CPU at 100 + n. */
static void put(struct hold_table *table, uint32_t n)
{
	(void)hold_table_put(table, FIRST + n, 100 + n);
}

static bool take(struct hold_table *table, uint32_t n)
{
	uint32_t place;

	return hold_table_take(table, FIRST + n, 100 + n, &place);
}

/* The latest evicts one, and no more. */
static void a_full_set_loses_one(struct test *t)
{
	struct hold_table table;
	uint32_t held = 0;

	table_open(&table, ONE_SET);
	REQUIRE(t, table.count == ONE_SET);
	for (uint32_t n = 0; n <= HOLD_WAYS; n++)
		put(&table, n);
	CHECK(t, take(&table, HOLD_WAYS));
	for (uint32_t n = 0; n < HOLD_WAYS; n++)
		held += take(&table, n);
	CHECK_INT(t, held, HOLD_WAYS - 1);
	hold_table_deinit(&table);
}

/* One thread more than there are places, each coming back at once: not all of them lose theirs. */
static void threads_that_take_turns_keep_some(struct test *t)
{
	enum { TURNS = 1000, THREADS = HOLD_WAYS + 1 };
	struct hold_table table;
	uint32_t kept = 0, place;

	table_open(&table, ONE_SET);
	REQUIRE(t, table.count == ONE_SET);
	for (uint64_t n = 0; n < TURNS * THREADS; n++) {
		uint32_t tid = FIRST + n % THREADS;

		kept += n >= THREADS && hold_table_take(&table, tid, 1000 * (n - THREADS) + 1, &place);
		(void)hold_table_put(&table, tid, 1000 * n + 1);
	}
	CHECK(t, kept > TURNS * THREADS / 3);
	hold_table_deinit(&table);
}

/*
 * Snapshots: Snapshots taken when a wait begins: joined to that wait, or counted if the wait is
 * recorded without one.
 */

enum { CPUS = 4, CPU = 2, WORDS_SNAPSHOTS = 3, TIDS = HOLD_WAYS + 1, FIRST_SNAPSHOTS = 1000 };

struct bench {
	struct memory_io m;
	struct recording recording;
	struct filter filter;
	struct snapshots snapshots;
	struct waits waits;
	uint32_t tids[TIDS]; /* of one set */
};

/* As the table itself would put them. */
static void find_tids(struct bench *b)
{
	const struct hold_limits limits = {.least = b->snapshots.table.count, .place = 1, .most = SIZE_MAX};
	struct hold_table table;
	uint32_t set;

	if (hold_table_init(&table, &limits) < 0 || table.count != b->snapshots.table.count)
		abort();
	set = hold_table_put(&table, FIRST_SNAPSHOTS, 1) / HOLD_WAYS;
	for (uint32_t tid = FIRST_SNAPSHOTS, found = 0; found < TIDS; tid++)
		if (hold_table_put(&table, tid, 1) / HOLD_WAYS == set)
			b->tids[found++] = tid;
	hold_table_deinit(&table);
}

static void bench_open(struct bench *b)
{
	struct recording *recording = &b->recording;

	*b = (struct bench){.recording = {.max_cpus = CPUS}};
	memory_io_open(&b->m);
	if (trace_writer_create(&b->m.io, 3, &(struct trace_writer_settings){0}, &recording->writer) < 0 ||
	    event_log_create(recording->writer, CPUS, &recording->log) < 0 ||
	    hits_create(0, false, 0, &recording->hits) < 0 ||
	    kernel_chains_create(NULL, &recording->kernel_chains) < 0 ||
	    snapshots_init(&b->snapshots, recording, &b->filter) < 0)
		abort();
	b->waits = (struct waits){.recording = recording, .filter = &b->filter, .snapshots = &b->snapshots};
	if (user_stacks_create(0, WORDS_SNAPSHOTS, 0, &b->waits.stacks) < 0)
		abort();
	find_tids(b);
}

static void bench_close(struct bench *b)
{
	waits_deinit(&b->waits);
	snapshots_deinit(&b->snapshots);
	kernel_chains_destroy(b->recording.kernel_chains);
	hits_destroy(b->recording.hits);
	event_log_destroy(b->recording.log);
	trace_writer_destroy(b->recording.writer);
	memory_io_close(&b->m);
}

static uint64_t out_of(uint32_t tid)
{
	return 1000000 + tid;
}

static struct ring_head head_of(uint16_t kind, uint64_t time)
{
	return (struct ring_head){.time = time, .cpu = CPU, .kind = kind};
}

static void copy_stack(struct bench *b, uint32_t tid)
{
	enum { X86_CS = 17, USER64_CS = 0x33 }; /* elsewhere it is any word */
	struct {
		struct ring_snapshot raw;
		uint64_t words[WORDS_SNAPSHOTS];
	} record = {.raw = {.head = head_of(RING_SNAPSHOT, out_of(tid)),
			    .address = 0x7000,
			    .size = WORDS_SNAPSHOTS * sizeof(uint64_t),
			    .flags = RING_SNAPSHOT_BEFORE,
			    .task = {.tgid = tid, .tid = tid}},
		    .words = {tid, tid, tid}};

	record.raw.registers[X86_CS] = USER64_CS;
	snapshots_take(&b->snapshots, &record.raw.head, sizeof(record));
}

static void of_that_thread_and_that_time(struct test *t)
{
	uint32_t tid;
	struct bench b;

	bench_open(&b);
	tid = b.tids[0];
	copy_stack(&b, tid);
	CHECK_INT(t, snapshots_before(&b.snapshots, tid, out_of(tid) + 1, CPU), 0);
	CHECK_INT(t, snapshots_before(&b.snapshots, b.tids[1], out_of(tid), CPU), 0);
	CHECK_INT(t, b.snapshots.lost[CPU], 2);
	CHECK(t, snapshots_before(&b.snapshots, tid, out_of(tid), CPU) != 0);
	CHECK_INT(t, snapshots_before(&b.snapshots, tid, out_of(tid), CPU), 0); /* once */
	bench_close(&b);
}

/* flags: RING_SAMPLE_SNAPSHOT if its snapshot was recorded, RING_SAMPLE_NO_SNAPSHOT if there was no room for it. */
static void leave(struct bench *b, uint32_t tid, uint32_t flags)
{
	struct {
		struct ring_user_stack raw;
		uint64_t frames[1];
	} record = {.raw = {.head = head_of(RING_USER_STACK, out_of(tid)),
			    .flags = flags,
			    .count = 1,
			    .task = {.tgid = tid, .tid = tid}},
		    .frames = {0x401000}};

	if (flags & RING_SAMPLE_SNAPSHOT)
		copy_stack(b, tid);
	waits_take(&b->waits, &record.raw.head, sizeof(record));
}

static void come_back(struct bench *b, uint32_t tid)
{
	struct ring_wait record = {.head = head_of(RING_WAIT, out_of(tid) + 5000),
				   .out = out_of(tid),
				   .out_key = out_of(tid),
				   .out_cpu = CPU - 1,
				   .flags = RING_WAIT_USER_BEFORE,
				   .task = {.tgid = tid, .tid = tid}};

	waits_take(&b->waits, &record.head, sizeof(record));
}

static void waits_that_are_told_without_are_counted(struct test *t)
{
	struct bench b;

	bench_open(&b);
	for (uint32_t i = 0; i < TIDS; i++)
		leave(&b, b.tids[i], RING_SAMPLE_SNAPSHOT);
	for (uint32_t i = 0; i < TIDS; i++)
		come_back(&b, b.tids[i]);
	CHECK_INT(t, b.snapshots.lost[CPU - 1], 1); /* where the thread left the CPU */
	leave(&b, b.tids[0], 0); /* none was wanted */
	come_back(&b, b.tids[0]);
	CHECK_INT(t, b.snapshots.lost[CPU - 1], 1);
	leave(&b, b.tids[0], RING_SAMPLE_NO_SNAPSHOT); /* counted only if the wait gets a record */
	CHECK_INT(t, b.snapshots.lost[CPU - 1], 1);
	come_back(&b, b.tids[0]);
	CHECK_INT(t, b.snapshots.lost[CPU - 1], 2);
	CHECK_INT(t, b.waits.refused, 0);
	bench_close(&b);
}

TEST_MAIN(TEST(follows_frames), TEST(ends_where_frames_do_not_grow), TEST(leaf_alone),
	  TEST(says_what_is_cut), TEST(copies_of_next_to_nothing), TEST(a_full_set_loses_one),
	  TEST(threads_that_take_turns_keep_some), TEST(of_that_thread_and_that_time),
	  TEST(waits_that_are_told_without_are_counted))
