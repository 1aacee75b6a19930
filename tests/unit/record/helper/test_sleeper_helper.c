/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that reads the iterator over sleeping tasks, with a pipe in its place: what can be
 * read is read to its end, a read that hangs ends the helper within the deadline, and a read to be
 * retried is retried for as long as the caller waits.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "common/packet.h"
#include "record/helper/nursery.h"
#include "record/helper/sleeper_helper.h"
#include "record/plan/deadlines.h"
#include "tests/test.h"

enum { SLACK_MS = 30000, TARGETS = 5 };

struct asked {
	struct nursery *nursery;
	int socket, pipe[2];
	uint64_t begun;
};

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A helper that reads a pipe with that many targets; no_wait: as the iterator behaves when its ring is full. */
static int ask(struct asked *asked, int targets, int no_wait)
{
	uint8_t request = 1;
	uint64_t word = 1;
	pid_t pid;

	if (nursery_create(&asked->nursery) || nursery_spawn(asked->nursery, HELPER_SLEEPER, &asked->socket, &pid) ||
	    pipe2(asked->pipe, O_CLOEXEC | (no_wait ? O_NONBLOCK : 0)))
		return 0;
	while (targets-- > 0)
		if (write(asked->pipe[1], &word, sizeof(word)) != sizeof(word))
			return 0;
	asked->begun = now_ms();
	return !packet_send(asked->socket, &request, sizeof(request), asked->pipe[0]);
}

static void answered(struct asked *asked)
{
	(void)close(asked->pipe[0]);
	(void)close(asked->pipe[1]);
	(void)close(asked->socket);
	nursery_destroy(asked->nursery);
}

static void reads_to_the_end(struct test *t)
{
	struct asked asked;
	int32_t reply = -1;

	REQUIRE(t, ask(&asked, TARGETS, 0));
	(void)close(asked.pipe[1]);
	asked.pipe[1] = -1;
	CHECK(t, packet_receive(asked.socket, &reply, sizeof(reply), SLACK_MS, NULL) == sizeof(reply));
	CHECK_INT(t, reply, 0);
	answered(&asked);
}

/* The pipe's other end stays open and silent, like the memory of a locked target. */
static void dies_of_a_read_that_hangs(struct test *t)
{
	struct asked asked;
	int32_t reply;
	uint64_t took;

	REQUIRE(t, ask(&asked, TARGETS, 0));
	CHECK_INT(t, packet_receive(asked.socket, &reply, sizeof(reply), SLACK_MS, NULL), 0);
	took = now_ms() - asked.begun;
	CHECK(t, took >= DEADLINE_SLEEPER - 1 && took < SLACK_MS);
	answered(&asked);
}

/* A helper that gets no CPU within its deadline dies of it, too: then another one is used, five times at most. */
static void waits_for_room_in_the_ring(struct test *t)
{
	struct asked asked;
	int32_t reply = -1;
	int r = 0;

	for (int tries = 0; r == 0 && tries < 5; tries++) {
		if (tries)
			answered(&asked);
		REQUIRE(t, ask(&asked, TARGETS, 1));
		r = (int)packet_receive(asked.socket, &reply, sizeof(reply), 3 * DEADLINE_SLEEPER, NULL);
	}
	CHECK_INT(t, r, -ETIMEDOUT);
	(void)close(asked.pipe[1]);
	asked.pipe[1] = -1;
	CHECK(t, packet_receive(asked.socket, &reply, sizeof(reply), SLACK_MS, NULL) == sizeof(reply));
	CHECK_INT(t, reply, 0);
	answered(&asked);
}

/* The caller no longer waits: then the pipe loses its last reader. */
static void ends_when_nobody_waits(struct test *t)
{
	struct asked asked;
	uint64_t word = 1, end;
	ssize_t written;

	(void)signal(SIGPIPE, SIG_IGN);
	REQUIRE(t, ask(&asked, 0, 1));
	(void)close(asked.pipe[0]);
	asked.pipe[0] = -1;
	(void)close(asked.socket);
	asked.socket = -1;
	end = now_ms() + SLACK_MS;
	do
		written = write(asked.pipe[1], &word, sizeof(word));
	while (written >= 0 && now_ms() < end && !usleep(10000));
	CHECK(t, written < 0 && errno == EPIPE);
	answered(&asked);
}

TEST_MAIN(TEST(reads_to_the_end), TEST(dies_of_a_read_that_hangs), TEST(waits_for_room_in_the_ring),
	  TEST(ends_when_nobody_waits))
