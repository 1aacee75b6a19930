/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/sideband.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/address_space.h"
#include "common/gate/packet.h"
#include "record/helper/helpers.h"
#include "record/helper/maps_helper.h"
#include "record/place/sideband_internal.h"
#include "record/place/sideband_records.h"
#include "record/place/start_state.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/made_sideband.h"

/* --- the kernel's records of processes, laid out by hand on several CPUs --- */

enum { CPUS = 3, PARENT = 40, CHILD = 41, OTHER = 42 };
#define CODE UINT64_C(0x400000)
#define LIBRARY UINT64_C(0x7f0000000000)
#define ALL UINT64_MAX

struct bench {
	struct kernel_map map;
	struct made_recording made;
	struct sideband *sideband;
};

static void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	made_recording_open_with(&b->made, CPUS, &b->map);
	made_sideband_open(&b->made);
	b->sideband = b->made.recording.sideband;
}

static void bench_close(struct bench *b)
{
	made_sideband_close(&b->made);
	made_recording_close(&b->made);
}

static uint64_t apply(struct bench *b, uint64_t until)
{
	sideband_look(b->sideband);
	return sideband_apply(b->sideband, until);
}

/* The path of the file that is mapped there now; "": memory without a file, NULL: nothing. */
static const char *mapped(const struct bench *b, uint32_t tgid, uint64_t address)
{
	const struct module_entry *entry;
	struct mapping mapping;

	if (!address_spaces_find(hits_spaces(b->made.recording.hits), tgid, address, &mapping))
		return NULL;
	entry = module_table_find(b->made.recording.modules, mapping.module);
	return mapping.module == b->made.anonymous || !entry ? "" : entry->path;
}

/* A process forks on one CPU, and its child runs on another one, whose ring is read first. */
static void cpus_are_read_in_the_order_of_time(struct test *t)
{
	struct bench b;

	bench_open(&b);
	made_put_fork(&b.made, 2, 200, PARENT, CHILD);
	made_put_map(&b.made, 0, 300, CHILD, LIBRARY, 0, "/lib/two");
	made_put_map(&b.made, 1, 100, PARENT, CODE, 0, "/bin/one");
	made_put_map(&b.made, 1, 250, PARENT, CODE, 0, "/bin/later");
	made_put_map(&b.made, 1, 400, PARENT, LIBRARY, 0, "/lib/one");
	CHECK_INT(t, apply(&b, 350), 400);
	CHECK_STR(t, mapped(&b, CHILD, CODE), "/bin/one");
	CHECK_STR(t, mapped(&b, CHILD, LIBRARY), "/lib/two");
	CHECK_STR(t, mapped(&b, PARENT, LIBRARY), NULL);
	CHECK(t, sideband_apply(b.sideband, ALL) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, PARENT, LIBRARY), "/lib/one");
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_FORK) == 1 && told_count(&b.made, EVENT_MAPPING) == 4);
	for (size_t i = 1; i < 4; i++)
		CHECK(t, told(&b.made, EVENT_MAPPING, i)->event.mapping.time >
				 told(&b.made, EVENT_MAPPING, i - 1)->event.mapping.time);
	CHECK_INT(t, told(&b.made, EVENT_FORK, 0)->event.fork.parent_tgid, PARENT);
	CHECK_INT(t, told(&b.made, EVENT_FORK, 0)->event.fork.tgid, CHILD);
	CHECK_INT(t, sideband_seen(b.sideband, CHILD), SIDEBAND_FORKED);
	CHECK_INT(t, sideband_seen(b.sideband, PARENT), 0);
	bench_close(&b);
}

/* What one maps all have, until one executes another program. */
static void processes_may_share_their_memory(struct test *t)
{
	struct ring_shares shares = {.count = 7};
	struct bench b;

	bench_open(&b);
	sideband_follow_shares(b.sideband, &shares);
	shares.items[7] = (struct ring_share){101, PARENT, CHILD};
	shares.items[8] = (struct ring_share){111, CHILD, OTHER};
	shares.count = 9;
	made_put_comm(&b.made, 0, 90, PARENT, true, "one"); /* before they did */
	made_put_fork(&b.made, 0, 100, PARENT, CHILD);
	made_put_fork(&b.made, 0, 110, CHILD, OTHER);
	made_put_map(&b.made, 0, 120, PARENT, CODE, 0, "/bin/one");
	made_put_map(&b.made, 0, 130, OTHER, LIBRARY, 0, "/lib/one");
	(void)apply(&b, ALL);
	for (uint32_t tgid = PARENT; tgid <= OTHER; tgid++) {
		CHECK_STR(t, mapped(&b, tgid, CODE), "/bin/one");
		CHECK_STR(t, mapped(&b, tgid, LIBRARY), "/lib/one");
	}
	made_put_comm(&b.made, 0, 140, CHILD, true, "two");
	made_put_map(&b.made, 0, 150, CHILD, CODE, 0, "/bin/two");
	made_put_exit(&b.made, 0, 160, OTHER, OTHER);
	made_put_map(&b.made, 0, 170, PARENT, LIBRARY, 0, "/lib/two");
	(void)apply(&b, ALL);
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/one");
	CHECK_STR(t, mapped(&b, CHILD, LIBRARY), NULL);
	CHECK_STR(t, mapped(&b, OTHER, LIBRARY), "/lib/one");
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_MAPPING), 3 + 3 + 1 + 1);
	bench_close(&b);
}

static void what_the_kernel_could_not_tell_is_counted(struct test *t)
{
	const struct lost_record lost = {.header = {.type = PERF_RECORD_LOST}, .id = 1, .lost = 7};
	const struct task_record stump = {.header = {.type = PERF_RECORD_FORK}, .tgid = CHILD, .parent_tgid = PARENT};
	struct stream_cpu totals = {.counted = {.counts = {3}}};
	struct bench b;

	bench_open(&b);
	made_put(&b.made, 1, &lost, sizeof(lost), NULL, 100);
	made_put(&b.made, 1, &lost, sizeof(lost), NULL, 110);
	made_put(&b.made, 1, &stump, 16, NULL, 120); /* too short to be one */
	made_put_fork(&b.made, 1, 130, PARENT, CHILD);
	made_put_comm(&b.made, 1, 140, CHILD, true, "child");
	made_put_exit(&b.made, 1, 150, CHILD, CHILD);
	(void)apply(&b, ALL);
	CHECK_INT(t, sideband_lost(b.sideband, 1), 14);
	CHECK_INT(t, sideband_lost(b.sideband, 0), 0);
	sideband_totals(b.sideband, 1, &totals);
	CHECK_INT(t, totals.any, 6);
	CHECK_INT(t, totals.records.counts[RING_LIFE_FORK], 2);
	CHECK_INT(t, totals.records.counts[RING_LIFE_RENAME], 1);
	CHECK_INT(t, totals.records.counts[RING_LIFE_EXIT], 1);
	CHECK_INT(t, totals.counted.counts[0], 3); /* the caller's */
	CHECK_INT(t, totals.full, 0);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_FORK), 1);
	bench_close(&b);
}

/* --- sideband time --- */

enum { ROOM = 128 };
#define TIME UINT64_C(6478771196211)
#define GARBAGE UINT64_C(0x6273757062737570)

union record {
	struct perf_event_header header;
	struct ksymbol_record ksymbol;
	struct comm_record comm;
	uint8_t bytes[ROOM];
};

static void put(union record *record, size_t at, uint64_t value)
{
	memcpy(record->bytes + at, &value, sizeof(value));
}

/* As the kernel writes it for the `listener`th (0: first) that opened it on that CPU. */
static void make_ksymbol(union record *record, const char *name, uint16_t listener)
{
	size_t end = (offsetof(struct ksymbol_record, name) + strlen(name) + 1 + 7) & ~(size_t)7;

	memset(record, 0xa5, sizeof(*record));
	record->header = (struct perf_event_header){
		.type = PERF_RECORD_KSYMBOL,
		.size = (uint16_t)(end + 8 * (1 + (size_t)listener)),
	};
	memset(record->bytes + offsetof(struct ksymbol_record, name), 0, end - offsetof(struct ksymbol_record, name));
	memcpy(record->ksymbol.name, name, strlen(name));
	put(record, end, TIME);

}

static void the_time_of_a_symbol_is_behind_its_name(struct test *t)
{
	static const char *const names[] = {"", "a", "1234567", "12345678", "bpf_prog_6deef7357e7b4530_sys_enter"};
	union record record;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (uint16_t listener = 0; listener < 4; listener++) {
			make_ksymbol(&record, names[i], listener);
			CHECK(t, sideband_record_time(&record.header) == TIME);
		}
}

static void a_name_without_end_stays_in_its_record(struct test *t)
{
	union record record;

	memset(&record, 'x', sizeof(record));
	record.header = (struct perf_event_header){.type = PERF_RECORD_KSYMBOL, .size = 64};
	put(&record, 56, GARBAGE);
	CHECK(t, sideband_record_time(&record.header) == GARBAGE);
	record.header.size = sizeof(record.header);
	CHECK(t, sideband_record_time(&record.header) == 0);
}

/* --- what was mapped before the recording, by hand-made answers in place of the helper's --- */

enum { FIRST = 40, SECOND = 41, THIRD = 42, HELPERS = 8 };

struct spawner {
	int helpers[HELPERS]; /* our ends */
	unsigned int count;
	bool refuses;
};

void spawner_leave(struct spawner *spawner, pid_t pid)
{
	(void)spawner, (void)pid;
}

const struct helper_kind *spawner_kind(const struct spawner *spawner, unsigned int kind)
{
	static const struct helper_kind patient = {.deadline_ms = 60000};

	(void)spawner, (void)kind;
	return &patient;
}

int spawner_start(struct spawner *spawner, unsigned int kind, int *ret_socket, pid_t *ret_pid)
{
	int ends[2];

	if (spawner->refuses || spawner->count == HELPERS)
		return -EAGAIN;
	if (kind != HELPER_MAPS || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		abort();
	*ret_socket = ends[0];
	*ret_pid = 1;
	spawner->helpers[spawner->count++] = ends[1];
	return 0;
}

struct start_bench {
	struct made_recording made;
	struct spawner spawner;
	struct start_state *state;
};

/* since 0: the processes that there are here; else the helper is asked for its list first. */
static void start_open(struct start_bench *b, uint64_t since)
{
	*b = (struct start_bench){0};
	fake_now = UINT64_C(1000000000);
	made_recording_open(&b->made, 2);
	made_sideband_open(&b->made);
	b->made.recording.start = 500;
	made_check(start_state_create(&b->made.recording, &b->spawner, since, &b->state));
}

static void start_close(struct start_bench *b)
{
	start_state_destroy(b->state);
	for (unsigned int i = 0; i < b->spawner.count; i++)
		(void)close(b->spawner.helpers[i]);
	made_sideband_close(&b->made);
	made_recording_close(&b->made);
}

/* --- the helper's side --- */

static bool asked(struct start_bench *b, uint32_t *ret_tgid)
{
	unsigned int count = b->spawner.count;

	return count && packet_receive(b->spawner.helpers[count - 1], ret_tgid, sizeof(*ret_tgid),
				       0, NULL) == sizeof(*ret_tgid);
}

static void reply(struct start_bench *b, const void *packet, size_t length)
{
	made_check(packet_send(b->spawner.helpers[b->spawner.count - 1], packet, length, -1));
}

static void reply_error(struct start_bench *b, uint32_t tgid, int error)
{
	const struct maps_reply packet = {.tgid = tgid, .error = error, .last = 1};

	reply(b, &packet, sizeof(packet));
}

/* One mapping at CODE, and the process's name. */
static void reply_mapping(struct start_bench *b, uint32_t tgid, const char *path, bool last)
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

static void reply_list(struct start_bench *b, const uint32_t *tgids, uint32_t count)
{
	uint8_t bytes[sizeof(struct maps_reply) + 8 * sizeof(uint32_t)];
	const struct maps_reply packet = {.count = count, .last = 1};

	memcpy(bytes, &packet, sizeof(packet));
	memcpy(bytes + sizeof(packet), tgids, count * sizeof(*tgids));
	reply(b, bytes, sizeof(packet) + count * sizeof(*tgids));
}

/* Asked for the list, it names three; then it is asked for those. */
static void list_three(struct test *t, struct start_bench *b)
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

static bool step_until_done(struct start_bench *b)
{
	for (int i = 0; i < 100; i++)
		if (start_state_step(b->state, 0))
			return true;
	return false;
}

static size_t told_maps(const struct start_bench *b, uint32_t tgid, uint64_t *ret_time)
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
	struct start_bench b;

	start_open(&b, 400);
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
	start_close(&b);
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
	struct start_bench b;

	start_open(&b, 400);
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
	start_close(&b);
}

TEST_MAIN(TEST(cpus_are_read_in_the_order_of_time), TEST(processes_may_share_their_memory),
	  TEST(what_the_kernel_could_not_tell_is_counted),
	  TEST(the_time_of_a_symbol_is_behind_its_name),
	  TEST(a_name_without_end_stays_in_its_record),
	  TEST(what_happened_meanwhile_is_not_undone), TEST(answers_are_not_trusted))
