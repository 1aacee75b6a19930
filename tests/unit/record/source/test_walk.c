/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A walk, from hand-made rows of the iterator to events: what is kept, dropped and counted, and what becomes of rows
 * that are cut. Defines what opens the iterator: it is a socket here, each message of which is what one read returns.
 */
#include "record/source/walk.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/machine/clocks.h"
#include "record/probe/probe.h"
#include "record/probe/sched_clock.h"
#include "record/source/drain.h"
#include "record/source/walk_users.h"
#include "tests/test.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/made_recording.h"
#include "tests/unit/record/made_samples.h"

enum { SOURCE = 4, MOST_ROWS = 8, OFFSET = 123 };

struct row {
	struct ring_walk_task raw;
	uint64_t frames[MADE_FRAMES];
};

static struct {
	struct ring_walk totals; /* set by the recorder before a walk, counted by the programs during it */
	struct ring_walk asked;	 /* what the recorder has set */
	struct ring_walk counts; /* what the programs count */
	int fd;
	uint64_t tick; /* ms that pass from one reading of the clock to the next */
	uint64_t now;
	unsigned int drained;
} fake;

/* A walk asks for the time when it has begun and before it reads rows: here the programs count. */
uint64_t clocks_now(void)
{
	if (!fake.asked.until)
		fake.asked = fake.totals;
	fake.totals.kept = fake.counts.kept;
	fake.totals.own = fake.counts.own;
	fake.totals.filtered = fake.counts.filtered;
	fake.totals.left_out = fake.counts.left_out;
	fake.now += fake.tick * 1000000;
	return 7000 + fake.now;
}

bool drain_pass(struct drain *drain)
{
	(void)drain;
	fake.drained++;
	return false;
}

int probe_walk_open(const struct probe *probe, struct ring_walk **ret_walk, int *ret_fd)
{
	(void)probe;
	*ret_walk = &fake.totals;
	*ret_fd = fake.fd;
	return 0;
}

int sched_clock_offset(const struct probe *probe, uint64_t *ret_offset)
{
	(void)probe;
	*ret_offset = OFFSET;
	return 0;
}

/* --- rows that lack user stacks: there are none --- */

void walk_users_hold(struct walk_users *users, const struct ring_walk_task *row, size_t size, walk_users_emit *emit,
		     void *context)
{
	(void)users, (void)row, (void)size, (void)emit, (void)context;
}

void walk_users_begin(struct walk_users *users)
{
	(void)users;
}

bool walk_users_step(struct walk_users *users, int timeout_ms, walk_users_emit *emit, void *context)
{
	(void)users, (void)timeout_ms, (void)emit, (void)context;
	return true;
}

void walk_users_finish(struct walk_users *users, unsigned int budget_ms, walk_users_emit *emit, void *context)
{
	(void)users, (void)budget_ms, (void)emit, (void)context;
}

struct bench {
	struct made_recording made;
	struct kernel_map map;
	struct filter filter;
	struct walk walk;
	int send;
};

static void next_walk(struct bench *b)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		abort();
	fake.fd = pair[0];
	b->send = pair[1];
}

static void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	made_recording_open_with(&b->made, 4, &b->map);
	b->walk = (struct walk){.recording = &b->made.recording, .filter = &b->filter, .source = SOURCE};
	made_check(walk_init(&b->walk));
	next_walk(b);
}

static void bench_close(struct bench *b)
{
	walk_deinit(&b->walk);
	made_recording_close(&b->made);
}

static void give(struct bench *b, const void *bytes, size_t size)
{
	if (send(b->send, bytes, size, MSG_DONTWAIT) != (ssize_t)size)
		abort();
}

static size_t bytes_of(const struct row *row)
{
	return sizeof(row->raw) + row->raw.count * sizeof(row->frames[0]);
}

/* A task that has slept for `wait`, with as many frames as its tid's last digit says. */
static struct row row_of(uint32_t tid, const char *comm, uint32_t state, uint64_t wait)
{
	struct row row = {.raw = {.time = 5000 + tid, .wait = wait, .bound = RING_WAIT_EXACT, .cpu = 1, .state = state,
				  .count = tid % 10, .task = made_ring_task(tid, comm)}};

	for (uint32_t i = 0; i < row.raw.count; i++)
		row.frames[i] = FAKE_KERNEL + 0x100 * tid + i;
	return row;
}

/* Ends the rows, and walks. */
static int walk(struct bench *b, const struct record_walk *config)
{
	fake.asked = fake.totals = (struct ring_walk){0};
	(void)close(b->send);
	return walk_run(&b->walk, config);
}

static void give_row(struct bench *b, const struct row *row)
{
	give(b, row, bytes_of(row));
}

static const struct record_walk plain;

/* The rings are drained now and then, and what the programs did not get to in time is lost. */
static void a_walk_is_bounded(struct test *t)
{
	struct row row = row_of(70, "first", 1, 300);
	struct bench b;

	bench_open(&b);
	b.walk.drain = (struct drain *)&b;
	for (int i = 0; i < 20; i++)
		give_row(&b, &row);
	fake.tick = 1;
	fake.counts = (struct ring_walk){.kept = 20, .left_out = 5};
	CHECK_INT(t, walk(&b, &plain), 0);
	CHECK(t, fake.asked.until > 7000 && fake.asked.until < UINT64_C(10000000000) && !fake.asked.left_out);
	CHECK(t, fake.drained > 1 && fake.drained < 10 && b.walk.rows == 20);
	CHECK_INT(t, b.made.recording.unlooked, 5);
	fake.tick = fake.drained = 0;
	fake.counts = (struct ring_walk){.kept = 0};
	next_walk(&b);
	CHECK_INT(t, walk(&b, &plain), 0);
	CHECK(t, !fake.drained && b.made.recording.unlooked == 5);
	bench_close(&b);
}

/* Rows in pieces of this size, of which a socket holds a few hundred. */
static void give_pieces(struct bench *b, size_t piece)
{
	uint8_t bytes[MOST_ROWS * sizeof(struct row)];
	size_t used = 0;

	for (uint32_t i = 0; i < MOST_ROWS; i++) {
		const struct row row = row_of(90 + i, "piece", 2, i + piece);

		memcpy(bytes + used, &row, bytes_of(&row));
		used += bytes_of(&row);
	}
	for (size_t at = 0; at < used; at += piece)
		give(b, bytes + at, used - at < piece ? used - at : piece);
}

/* However reads cut the rows; a walk reads nothing of the one before. */
static void rows_may_come_in_pieces(struct test *t)
{
	struct bench b;

	bench_open(&b);
	fake.counts = (struct ring_walk){.kept = MOST_ROWS};
	for (size_t piece = 7; piece < 700; piece += 61) {
		if (piece > 7)
			next_walk(&b);
		give_pieces(&b, piece);
		CHECK_INT(t, walk(&b, &plain), 0);
		CHECK_INT(t, b.walk.worst.wait, MOST_ROWS - 1 + piece);
	}
	CHECK_INT(t, b.walk.rows, (uint64_t)MOST_ROWS * b.walk.number);
	made_recording_read(&b.made);
	for (size_t i = 0; i < told_count(&b.made, EVENT_WALK_TASK); i++) {
		const struct told *event = told(&b.made, EVENT_WALK_TASK, i);

		CHECK(t, event->task.tid == 90 + i % MOST_ROWS && event->kernel_count == i % MOST_ROWS &&
				 event->event.walk_task.walk == i / MOST_ROWS + 1);
	}
	bench_close(&b);
}

/* What is left of a row that is not whole, or cannot be one, ends the walk. What was before it stays. */
static void a_walk_that_breaks_off_says_so(struct test *t)
{
	struct row good = row_of(71, "good", 1, 10), bad = row_of(72, "bad", 1, 20);
	struct bench b;

	bench_open(&b);
	give_row(&b, &good);
	give(&b, &bad, bytes_of(&bad) - 1);
	CHECK_INT(t, walk(&b, &plain), -EBADMSG);
	CHECK_INT(t, b.walk.rows, 1);
	next_walk(&b);
	bad.raw.count = RING_MAX_FRAMES + 1;
	give_row(&b, &good);
	give(&b, &bad, sizeof(bad));
	CHECK_INT(t, walk(&b, &plain), -EBADMSG);
	CHECK_INT(t, b.walk.rows, 2);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_WALK_TASK), 2);
	CHECK_INT(t, told(&b.made, EVENT_WALK, 1)->event.walk.flags, WALK_END);
	bench_close(&b);
}

TEST_MAIN(TEST(a_walk_is_bounded), TEST(rows_may_come_in_pieces),
	  TEST(a_walk_that_breaks_off_says_so))
