/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Variables whose file could not be opened in time during the recording: it is asked for again.
 * Defines nursery_spawn(): the helpers' answers are laid out before they are asked.
 */
#include "record/embed/embed_variables.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/packet.h"
#include "record/embed/symbol_source.h"
#include "record/helper/elf_helper.h"
#include "record/helper/nursery.h"
#include "record/helper/opener_helper.h"
#include "record/place/module_files.h"
#include "record/place/variables.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/made_recording.h"

enum { HELPERS = 8, PLACE = 0x40 };

/* What the next openers do. */
enum opener_way { SILENT, OPENS, REFUSES, ENDS };

struct nursery {
	int helpers[HELPERS]; /* our ends */
	unsigned int count, openers;
	enum opener_way way;
};

static void answer_open(int socket, enum opener_way way)
{
	const struct opener_reply reply = {.token = UINT32_MAX, .error = way == REFUSES ? -ESTALE : 0};
	int fd = way == OPENS ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;

	made_check(packet_send(socket, &reply, sizeof(reply), fd));
	if (fd >= 0)
		(void)close(fd);
}

/* Any file has one variable, at PLACE. */
static void answer_names(int socket)
{
	const struct elf_reply reply = {.bytes = sizeof(struct elf_symbol_record) + 4};
	const struct elf_symbols_reply head = {.count = 1, .last = 1};
	const struct elf_symbol_record record = {.address = PLACE, .size = 8, .name_length = 4};
	uint8_t packet[sizeof(head) + sizeof(record) + 4];

	memcpy(packet, &head, sizeof(head));
	memcpy(packet + sizeof(head), &record, sizeof(record));
	memcpy(packet + sizeof(head) + sizeof(record), "lock", 4);
	made_check(packet_send(socket, &reply, sizeof(reply), -1));
	made_check(packet_send(socket, packet, sizeof(packet), -1));
}

void nursery_leave(struct nursery *nursery, pid_t pid)
{
	(void)nursery, (void)pid;
}

int nursery_spawn(struct nursery *nursery, enum helper_kind kind, int *ret_socket, pid_t *ret_pid)
{
	int ends[2];

	if (nursery->count == HELPERS || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		abort();
	*ret_socket = ends[0];
	*ret_pid = 1;
	nursery->helpers[nursery->count++] = ends[1];
	if (kind != HELPER_OPENER)
		answer_names(ends[1]);
	else if (nursery->way == OPENS || nursery->way == REFUSES)
		answer_open(ends[1], nursery->way);
	else if (nursery->way == ENDS)
		(void)shutdown(ends[1], SHUT_WR);
	nursery->openers += kind == HELPER_OPENER;
	return 0;
}

struct bench {
	struct made_recording made;
	struct nursery nursery;
	struct module_files *files;
	struct symbol_source *source;
};

static void bench_open(struct bench *b)
{
	struct recording *recording = &b->made.recording;

	*b = (struct bench){0};
	made_recording_open(&b->made, 1);
	made_check(module_files_create(&b->nursery, recording->modules, false, &b->files));
	made_check(variables_create(recording->modules, b->files, &recording->variables));
	made_check(symbol_source_create(&b->nursery, false, &b->source));
}

static void bench_close(struct bench *b)
{
	symbol_source_destroy(b->source);
	variables_destroy(b->made.recording.variables);
	module_files_destroy(b->files);
	for (unsigned int i = 0; i < b->nursery.count; i++)
		(void)close(b->nursery.helpers[i]);
	made_recording_close(&b->made);
}

/* A futex in the data of a file that is not opened within the time limit. */
static void note(struct bench *b, uint32_t number, const char *path)
{
	const struct event_object object = {.number = number, .kind = OBJECT_FUTEX};
	const struct module_identity file = {.path = path, .device = 1, .inode = number};

	variables_note(b->made.recording.variables, &object, &file, PLACE, 0x7000, 0x8000);
	fake_now += UINT64_C(201000000);
	(void)module_files_poll(b->files, 0);
}

static void embed(struct test *t, struct bench *b)
{
	uint64_t used = 0;

	CHECK_INT(t, embed_variables(&b->made.recording, b->files, b->source, NULL, UINT64_MAX, &used), 0);
	made_recording_read(&b->made);
}

static void a_file_that_was_too_slow_is_asked_for_again(struct test *t)
{
	const struct event_object *object;
	struct opener_request request;
	struct bench b;

	bench_open(&b);
	note(&b, 5, "/lib/first");
	CHECK_INT(t, b.nursery.openers, 1);
	b.nursery.way = OPENS;
	embed(t, &b);
	CHECK_INT(t, b.nursery.openers, 2);
	REQUIRE(t, told_count(&b.made, EVENT_OBJECT) == 1);
	object = &told(&b.made, EVENT_OBJECT, 0)->event.object;
	CHECK_INT(t, object->number, 5);
	CHECK(t, object->name.length == 4 && !memcmp(object->name.bytes, "lock", 4));
	REQUIRE(t, packet_receive(b.nursery.helpers[1], &request, sizeof(request), 0, NULL) > 0);
	CHECK_INT(t, request.what, OPENER_MAPPING);
	CHECK_INT(t, request.inode, 5);
	CHECK_INT(t, request.start, 0x7000);
	CHECK_INT(t, request.end, 0x8000);
	bench_close(&b);
}

static void also_after_all_openers_were_left_behind(struct test *t)
{
	static const char *const paths[] = {"/lib/1", "/lib/2", "/lib/3", "/lib/4"};
	struct bench b;

	bench_open(&b);
	for (uint32_t i = 0; i < 4; i++)
		note(&b, i + 1, paths[i]);
	CHECK_INT(t, b.nursery.openers, 4);
	b.nursery.way = OPENS;
	embed(t, &b);
	CHECK(t, told_count(&b.made, EVENT_OBJECT) >= 1);
	bench_close(&b);
}

static void who_is_too_slow_again_is_the_last(struct test *t)
{
	struct bench b;

	bench_open(&b);
	note(&b, 1, "/lib/first");
	note(&b, 2, "/lib/second");
	b.nursery.way = ENDS;
	embed(t, &b);
	CHECK_INT(t, b.nursery.openers, 3);
	CHECK_INT(t, told_count(&b.made, EVENT_OBJECT), 0);
	bench_close(&b);
}

static void what_was_refused_is_not_asked_for_again(struct test *t)
{
	struct opener_request request;
	struct bench b;

	bench_open(&b);
	note(&b, 1, "/lib/first");
	b.nursery.way = REFUSES;
	embed(t, &b);
	embed(t, &b);
	CHECK_INT(t, b.nursery.openers, 2);
	CHECK(t, packet_receive(b.nursery.helpers[1], &request, sizeof(request), 0, NULL) > 0);
	CHECK_INT(t, packet_receive(b.nursery.helpers[1], &request, sizeof(request), 0, NULL), -ETIMEDOUT);
	CHECK_INT(t, told_count(&b.made, EVENT_OBJECT), 0);
	bench_close(&b);
}

TEST_MAIN(TEST(a_file_that_was_too_slow_is_asked_for_again), TEST(also_after_all_openers_were_left_behind),
	  TEST(who_is_too_slow_again_is_the_last), TEST(what_was_refused_is_not_asked_for_again))
