/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A walk whose rows are cut by reads. The iterator is a socket here, each message of which is what one read returns. */
#include "record/source/walk.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/host/clocks.h"
#include "record/probe/probe.h"
#include "record/probe/sched_clock.h"
#include "record/source/drain.h"
#include "record/source/walk_users.h"
#include "tests/test.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/made_recording.h"
#include "tests/unit/record/made_samples.h"

enum { MOST_ROWS = 8, OFFSET = 123 };

struct row {
	struct ring_walk_task raw;
	uint64_t frames[MADE_FRAMES];
};

static struct {
	struct ring_walk totals;
	int fd;
} fake;

uint64_t clocks_now(void)
{
	return 7000;
}

bool drain_pass(struct drain *drain)
{
	(void)drain;
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
	b->walk = (struct walk){.recording = &b->made.recording, .filter = &b->filter};
	made_check(walk_init(&b->walk));
	next_walk(b);
}

static void bench_close(struct bench *b)
{
	walk_deinit(&b->walk);
	made_recording_close(&b->made);
}

/* A task that has slept for `wait`, with as many frames as its tid's last digit says. */
static struct row row_of(uint32_t tid, uint64_t wait)
{
	struct row row = {.raw = {.time = 5000 + tid, .wait = wait, .bound = WAIT_EXACT, .cpu = 1, .state = 2,
				  .count = tid % 10, .task = made_ring_task(tid, "piece")}};

	for (uint32_t i = 0; i < row.raw.count; i++)
		row.frames[i] = FAKE_KERNEL + 0x100 * tid + i;
	return row;
}

/* Ends the rows, and walks. */
static int walk(struct bench *b)
{
	fake.totals = (struct ring_walk){0};
	(void)close(b->send);
	return walk_run(&b->walk, &(struct record_walk){0});
}

/* Rows in pieces of this size, of which a socket holds a few hundred. */
static void give_pieces(struct bench *b, size_t piece)
{
	uint8_t bytes[MOST_ROWS * sizeof(struct row)];
	size_t used = 0;

	for (uint32_t i = 0; i < MOST_ROWS; i++) {
		const struct row row = row_of(90 + i, i + piece);

		memcpy(bytes + used, &row, sizeof(row));
		used += sizeof(row.raw) + row.raw.count * sizeof(row.frames[0]);
	}
	for (size_t at = 0; at < used; at += piece)
		made_check((int)send(b->send, bytes + at, used - at < piece ? used - at : piece, MSG_DONTWAIT));
}

/* However reads cut the rows; a walk reads nothing of the one before. */
static void rows_may_come_in_pieces(struct test *t)
{
	struct bench b;

	bench_open(&b);
	for (size_t piece = 7; piece < 700; piece += 61) {
		if (piece > 7)
			next_walk(&b);
		give_pieces(&b, piece);
		CHECK_INT(t, walk(&b), 0);
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

TEST_MAIN(TEST(rows_may_come_in_pieces))
