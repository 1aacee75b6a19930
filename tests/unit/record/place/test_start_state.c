/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What was mapped before the recording, by hand-made answers in place of the helper's: what is
 * written about it beside what the sideband knows, and what happens to a helper that does not
 * answer. Defines nursery_spawn(): its helper is the test.
 */
#include "record/place/start_state.h"

#include <sys/socket.h>
#include <unistd.h>

#include "common/address_space.h"
#include "common/packet.h"
#include "record/helper/maps_helper.h"
#include "record/helper/nursery.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/made_sideband.h"

enum { FIRST = 40, SECOND = 41, THIRD = 42, HELPERS = 8 };
#define CODE UINT64_C(0x400000)

struct nursery {
	int helpers[HELPERS]; /* our ends */
	unsigned int count;
	bool refuses;
};

void nursery_leave(struct nursery *nursery, pid_t pid)
{
	(void)nursery, (void)pid;
}

int nursery_spawn(struct nursery *nursery, enum helper_kind kind, int *ret_socket, pid_t *ret_pid)
{
	int ends[2];

	if (nursery->refuses || nursery->count == HELPERS)
		return -EAGAIN;
	if (kind != HELPER_MAPS || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		abort();
	*ret_socket = ends[0];
	*ret_pid = 1;
	nursery->helpers[nursery->count++] = ends[1];
	return 0;
}

struct bench {
	struct made_recording made;
	struct nursery nursery;
	struct start_state *state;
};

/* since 0: the processes that there are here; else the helper is asked for its list first. */
static void bench_open(struct bench *b, uint64_t since)
{
	*b = (struct bench){0};
	fake_now = UINT64_C(1000000000);
	made_recording_open(&b->made, 2);
	made_sideband_open(&b->made);
	b->made.recording.start = 500;
	made_check(start_state_create(&b->made.recording, &b->nursery, since, &b->state));
}

static void bench_close(struct bench *b)
{
	start_state_destroy(b->state);
	for (unsigned int i = 0; i < b->nursery.count; i++)
		(void)close(b->nursery.helpers[i]);
	made_sideband_close(&b->made);
	made_recording_close(&b->made);
}

/* --- the helper's side --- */

static bool asked(struct bench *b, uint32_t *ret_tgid)
{
	unsigned int count = b->nursery.count;

	return count && packet_receive(b->nursery.helpers[count - 1], ret_tgid, sizeof(*ret_tgid),
				       0, NULL) == sizeof(*ret_tgid);
}

static void reply(struct bench *b, const void *packet, size_t length)
{
	made_check(packet_send(b->nursery.helpers[b->nursery.count - 1], packet, length, -1));
}

static void reply_error(struct bench *b, uint32_t tgid, int error)
{
	const struct maps_reply packet = {.tgid = tgid, .error = error, .last = 1};

	reply(b, &packet, sizeof(packet));
}

/* One mapping at CODE, and the process's name. */
static void reply_mapping(struct bench *b, uint32_t tgid, const char *path, bool last)
{
	const struct maps_reply head = {.tgid = tgid, .count = 1, .last = last, .comm = "process"};
	struct maps_record record = {.start = CODE, .end = CODE + 0x1000, .file_offset = 0x2000,
				     .device = 8, .inode = 5};
	uint8_t bytes[sizeof(head) + sizeof(record) + 64];

	record.path_length = (uint32_t)strlen(path);
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), &record, sizeof(record));
	memcpy(bytes + sizeof(head) + sizeof(record), path, record.path_length);
	reply(b, bytes, sizeof(head) + sizeof(record) + record.path_length);
}

static void reply_list(struct bench *b, const uint32_t *tgids, uint32_t count)
{
	uint8_t bytes[sizeof(struct maps_reply) + 8 * sizeof(uint32_t)];
	const struct maps_reply packet = {.count = count, .last = 1};

	memcpy(bytes, &packet, sizeof(packet));
	memcpy(bytes + sizeof(packet), tgids, count * sizeof(*tgids));
	reply(b, bytes, sizeof(packet) + count * sizeof(*tgids));
}

/* Asked for the list, it names three; then it is asked for those. */
static void list_three(struct test *t, struct bench *b)
{
	static const uint32_t tgids[] = {FIRST, SECOND, THIRD};
	uint32_t tgid = 1;

	CHECK(t, !start_state_step(b->state, 0));
	CHECK(t, asked(b, &tgid) && tgid == 0);
	reply_list(b, tgids, 3);
	CHECK(t, !start_state_step(b->state, 0));
	CHECK(t, !start_state_step(b->state, 0)); /* asks for them */
	for (uint32_t i = 0; i < 3; i++)
		CHECK(t, asked(b, &tgid) && tgid == tgids[i]);
}

static bool step_until_done(struct bench *b)
{
	for (int i = 0; i < 100; i++)
		if (start_state_step(b->state, 0))
			return true;
	return false;
}

static size_t told_maps(const struct bench *b, uint32_t tgid, uint64_t *ret_time)
{
	size_t count = 0;

	for (size_t i = 0; i < told_count(&b->made, EVENT_MAPPING); i++) {
		const struct event_mapping *mapping = &told(&b->made, EVENT_MAPPING, i)->event.mapping;

		if (mapping->tgid != tgid)
			continue;
		count++;
		*ret_time = mapping->time;
	}
	return count;
}

/* --- the tests --- */

/* One that was forked meanwhile has its history; one that called exec has reported everything itself. */
static void what_happened_meanwhile_is_not_undone(struct test *t)
{
	uint64_t time = 0;
	struct bench b;

	bench_open(&b, 400);
	list_three(t, &b);
	made_put_fork(&b.made, 0, 600, 1, FIRST);
	made_put_comm(&b.made, 0, 700, SECOND, true, "other");
	sideband_look(b.made.recording.sideband);
	(void)sideband_apply(b.made.recording.sideband, UINT64_MAX);
	reply_mapping(&b, FIRST, "/bin/one", true);
	reply_mapping(&b, SECOND, "/bin/two", true);
	reply_mapping(&b, THIRD, "/bin/three", false);
	reply_mapping(&b, THIRD, "/bin/three", true); /* the rest of it: the same, so not new */
	CHECK(t, step_until_done(&b));
	made_recording_read(&b.made);
	CHECK_INT(t, told_maps(&b, FIRST, &time), 1);
	CHECK_INT(t, time, fake_now);
	CHECK_INT(t, told_maps(&b, SECOND, &time), 0);
	CHECK_INT(t, told_maps(&b, THIRD, &time), 1);
	CHECK_INT(t, time, 400); /* since the time of the missing records */
	bench_close(&b);
}

/* Invalid answers: too short, for another process, with a path that is missing. */
static void answers_are_not_trusted(struct test *t)
{
	struct {
		struct maps_reply reply;
		struct maps_record record;
	} lying = {.reply = {.tgid = FIRST, .count = 3, .last = 0, .comm = "process"},
		   .record = {.start = CODE, .end = CODE + 0x1000, .path_length = 100}};
	uint64_t time;
	struct bench b;

	bench_open(&b, 400);
	list_three(t, &b);
	reply(&b, "abc", 3);
	reply_mapping(&b, THIRD, "/bin/three", true); /* not its turn */
	reply(&b, &lying, sizeof(lying));
	lying.record.path_length = UINT32_MAX;
	reply(&b, &lying, sizeof(lying));
	reply_mapping(&b, FIRST, "/bin/one", true);
	reply_error(&b, SECOND, -ESRCH);
	reply_error(&b, THIRD, -ESRCH);
	CHECK(t, step_until_done(&b));
	made_recording_read(&b.made);
	CHECK_INT(t, told_maps(&b, FIRST, &time), 1);
	CHECK_INT(t, told_maps(&b, THIRD, &time), 0);
	CHECK_INT(t, told_count(&b.made, EVENT_MAPPING), 1);
	bench_close(&b);
}

TEST_MAIN(TEST(what_happened_meanwhile_is_not_undone), TEST(answers_are_not_trusted))
