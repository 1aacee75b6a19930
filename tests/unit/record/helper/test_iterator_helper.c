/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that copies stacks of sleepers, with a pipe in place of the iterator and memory of this process as the target's:
 * nothing is copied of what is not in memory, nor of a file that a server answers for; and a read that hangs ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bpf/ring.h"
#include "common/gate/packet.h"
#include "record/helper/helpers.h"
#include "record/helper/iterator_helper.h"
#include "record/plan/deadlines.h"
#include "tests/test.h"

enum { SLACK_MS = 30000, MOST = 16 << 10, FUSE_MAGIC = 0x65735546 };

struct bench {
	struct spawner *spawner;
	int socket, pipe[2], shared;
	struct ring_sleeper_asked *asked;
	char *stack; /* four pages; the second half is not in memory */
	size_t page;
	struct ring_sleeper record;
	struct {
		struct ring_sleeper head;
		char stack[MOST];
	} answer;
};

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool begin_round(struct bench *b)
{
	struct iterator_request page = {.what = ITERATOR_PAGE}, round = {ITERATOR_SLEEPERS, MOST};
	pid_t pid;

	return !spawner_start(b->spawner, HELPER_ITERATOR, &b->socket, &pid) &&
	       !packet_send(b->socket, &page, sizeof(page), b->shared) &&
	       !packet_send(b->socket, &round, sizeof(round), b->pipe[0]);
}

static bool bench_init(struct bench *b)
{
	*b = (struct bench){.page = (size_t)sysconf(_SC_PAGESIZE), .shared = memfd_create("asked", MFD_CLOEXEC)};
	if (b->shared < 0 || ftruncate(b->shared, (off_t)b->page) || pipe2(b->pipe, O_CLOEXEC | O_NONBLOCK) ||
	    helpers_start(0, &b->spawner))
		return false;
	b->asked = mmap(NULL, b->page, PROT_READ | PROT_WRITE, MAP_SHARED, b->shared, 0);
	b->stack = mmap(NULL, 4 * b->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->asked == MAP_FAILED || b->stack == MAP_FAILED)
		return false;
	memset(b->stack, 'x', 2 * b->page);
	b->asked->tgid = b->asked->tid = (uint32_t)getpid();
	b->asked->stack.from = (uintptr_t)b->stack + 64;
	b->asked->stack.to = (uintptr_t)b->stack + 2 * b->page;
	b->record = (struct ring_sleeper){.tid = b->asked->tid, .address = b->asked->stack.from};
	return begin_round(b);
}

/*
 * The iterator's file: asks until something is written. Returns the answer's length. A record that the helper read
 * before it could copy what it is about has no answer; and where we get no CPU for longer than a target may take, the
 * helper has ended, and another one begins.
 */
static ssize_t answered(struct bench *b)
{
	ssize_t got = -ETIMEDOUT;
	int unread = 0;

	(void)usleep(10000); /* it copies meanwhile */
	for (uint64_t end = now_ms() + SLACK_MS; got <= 0 && now_ms() < end;) {
		if (!unread && write(b->pipe[1], &b->record, sizeof(b->record)) != sizeof(b->record))
			return -1;
		got = packet_receive(b->socket, &b->answer, sizeof(b->answer), 500, NULL);
		if (got <= 0 && got != -ETIMEDOUT && (close(b->socket) || !begin_round(b)))
			return -1;
		if (ioctl(b->pipe[0], FIONREAD, &unread))
			return -1;
	}
	return got;
}

static void bench_deinit(struct bench *b)
{
	(void)close(b->pipe[0]);
	(void)close(b->pipe[1]);
	(void)close(b->socket);
	(void)close(b->shared);
	(void)munmap(b->asked, b->page);
	(void)munmap(b->stack, 4 * b->page);
	spawner_destroy(b->spawner);
}

static void check_outcome(struct test *t, struct bench *b, enum user_missing outcome, size_t size,
			  uint32_t flags)
{
	CHECK_INT(t, answered(b), sizeof(b->record) + size);
	CHECK_INT(t, b->answer.head.outcome, outcome);
	CHECK_INT(t, b->answer.head.size, size);
	CHECK_INT(t, b->answer.head.flags, flags);
	for (size_t i = 0; i < size; i++)
		if (b->answer.stack[i] != 'x') {
			CHECK_INT(t, b->answer.stack[i], 'x');
			break;
		}
}

#define NEEDS_ROOT(t)                                                                                                 \
	do {                                                                                                          \
		if (geteuid())                                                                                        \
			SKIP(t, "needs root");                                                                        \
	} while (0)

static void copies_nothing_else(struct test *t)
{
	NEEDS_ROOT(t);

	struct bench b;
	unsigned char in_memory;

	REQUIRE(t, bench_init(&b));
	b.asked->stack.file_system = FUSE_MAGIC;
	check_outcome(t, &b, USER_MISSING_SERVED, 0, 0);
	b.asked->stack.file_system = NFS_SUPER_MAGIC;
	check_outcome(t, &b, USER_MISSING_SERVED, 0, 0);
	b.asked->stack.from = (uintptr_t)b.stack + 3 * b.page;
	b.asked->stack.to = b.asked->stack.from + b.page;
	b.asked->stack.file_system = 0;
	b.record.address = b.asked->stack.from;
	check_outcome(t, &b, USER_MISSING_ABSENT, 0, 0);
	CHECK(t, !mincore(b.stack + 3 * b.page, b.page, &in_memory) && !(in_memory & 1)); /* nor brought in */
	b.record.outcome = USER_MISSING_RUNNING;
	check_outcome(t, &b, USER_MISSING_RUNNING, 0, 0);
	bench_deinit(&b);
}

/* Like a target whose memory is locked. */
static void dies_of_a_target_that_hangs(struct test *t)
{
	NEEDS_ROOT(t);

	struct bench b;
	uint64_t begun = now_ms(), took;

	REQUIRE(t, bench_init(&b));
	CHECK_INT(t, packet_receive(b.socket, &b.answer, sizeof(b.answer), SLACK_MS, NULL), 0);
	took = now_ms() - begun;
	CHECK(t, took >= DEADLINE_SLEEPER - 1 && took < SLACK_MS);
	bench_deinit(&b);
}

TEST_MAIN(TEST(copies_nothing_else), TEST(dies_of_a_target_that_hangs))
