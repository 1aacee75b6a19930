/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Snapshots taken when a wait begins: joined to that wait, or counted if the wait is recorded without one. */
#include "record/stack/snapshots.h"

#include <stdlib.h>

#include "bpf/ring_wait.h"
#include "format/event_log.h"
#include "record/place/hits.h"
#include "record/place/kernel_chains.h"
#include "record/plan/filter.h"
#include "record/plan/recording.h"
#include "record/source/waits.h"
#include "record/stack/user_stacks.h"
#include "tests/fault/memory_file.h"
#include "tests/test.h"

enum { CPUS = 4, CPU = 2, WORDS = 3, TIDS = HOLD_WAYS + 1, FIRST = 1000 };

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
	set = hold_table_put(&table, FIRST, 1) / HOLD_WAYS;
	for (uint32_t tid = FIRST, found = 0; found < TIDS; tid++)
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
	if (user_stacks_create(0, WORDS, 0, &b->waits.stacks) < 0)
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
		uint64_t words[WORDS];
	} record = {.raw = {.head = head_of(RING_SNAPSHOT, out_of(tid)),
			    .address = 0x7000,
			    .size = WORDS * sizeof(uint64_t),
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

TEST_MAIN(TEST(of_that_thread_and_that_time), TEST(waits_that_are_told_without_are_counted))
