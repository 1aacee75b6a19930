/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel's records of processes, laid out by hand on several CPUs: what is mapped where at a
 * moment, and what is written.
 */
#include "record/place/sideband.h"

#include <sys/sysmacros.h>

#include "common/address_space.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/made_sideband.h"

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

static void a_mapping_is_there_from_its_moment_on(struct test *t)
{
	struct bench b;

	bench_open(&b);
	made_put_map(&b.made, 0, 100, PARENT, CODE, 0x3000, "/bin/one");
	made_put_map(&b.made, 0, 200, PARENT, CODE, 0, "/bin/two");
	CHECK_INT(t, apply(&b, 99), 100);
	CHECK_STR(t, mapped(&b, PARENT, CODE), NULL);
	CHECK_INT(t, sideband_apply(b.sideband, 199), 200);
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/one");
	CHECK_STR(t, mapped(&b, PARENT, CODE + 0xfff), "/bin/one");
	CHECK_STR(t, mapped(&b, PARENT, CODE + 0x1000), NULL);
	CHECK_STR(t, mapped(&b, OTHER, CODE), NULL);
	CHECK(t, sideband_apply(b.sideband, 200) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/two");
	CHECK(t, sideband_knows(b.sideband, PARENT) && !sideband_knows(b.sideband, OTHER));
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_MAPPING) == 2);
	CHECK_INT(t, told(&b.made, EVENT_MAPPING, 0)->event.mapping.time, 100);
	CHECK_INT(t, told(&b.made, EVENT_MAPPING, 0)->event.mapping.start, CODE);
	CHECK_INT(t, told(&b.made, EVENT_MAPPING, 0)->event.mapping.length, 0x1000);
	CHECK_INT(t, told(&b.made, EVENT_MAPPING, 0)->event.mapping.file_offset, 0x3000);
	CHECK_INT(t, told(&b.made, EVENT_MAPPING, 0)->event.mapping.flags, 0);
	bench_close(&b);
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

/* An older record may not be visible yet: records after the look wait for the next one. */
static void what_is_younger_than_the_look_waits(struct test *t)
{
	const uint64_t now = fake_now, hour = UINT64_C(3600000000000);
	struct bench b;

	bench_open(&b);
	made_put_map(&b.made, 0, now + 1, PARENT, CODE, 0, "/bin/one");
	CHECK(t, apply(&b, ALL) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, PARENT, CODE), NULL);
	fake_now = now + 1;
	CHECK(t, sideband_apply(b.sideband, ALL) == UINT64_MAX); /* not looked at */
	CHECK_STR(t, mapped(&b, PARENT, CODE), NULL);
	CHECK(t, apply(&b, ALL) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/one");
	made_put_map(&b.made, 0, now + hour, PARENT, CODE, 0, "/bin/two"); /* not a time */
	CHECK(t, apply(&b, ALL) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/two");
	fake_now = now;
	bench_close(&b);
}

static void an_exec_empties_the_process(struct test *t)
{
	struct bench b;

	bench_open(&b);
	made_put_map(&b.made, 0, 100, PARENT, CODE, 0, "/bin/one");
	made_put_map(&b.made, 0, 110, PARENT, LIBRARY, 0, "/lib/one");
	made_put_comm(&b.made, 0, 150, PARENT, false, "renamed");
	CHECK(t, apply(&b, 199) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/one");
	CHECK_INT(t, sideband_seen(b.sideband, PARENT), 0);
	made_put_comm(&b.made, 0, 200, PARENT, true, "two");
	made_put_map(&b.made, 0, 210, PARENT, CODE, 0, "/bin/two");
	CHECK_INT(t, apply(&b, 200), 210);
	CHECK_STR(t, mapped(&b, PARENT, CODE), NULL);
	CHECK_STR(t, mapped(&b, PARENT, LIBRARY), NULL);
	CHECK_STR(t, mapped(&b, address_spaces_before_exec(PARENT), LIBRARY), "/lib/one");
	CHECK(t, sideband_apply(b.sideband, ALL) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/two");
	CHECK_INT(t, sideband_seen(b.sideband, PARENT), SIDEBAND_EXECED);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_COMM) == 2);
	CHECK_INT(t, told(&b.made, EVENT_COMM, 0)->event.comm.flags, 0);
	CHECK_INT(t, told(&b.made, EVENT_COMM, 1)->event.comm.flags, COMM_EXEC);
	CHECK_MEM(t, told(&b.made, EVENT_COMM, 1)->event.comm.comm.bytes, "two", 3);
	bench_close(&b);
}

static void put_thread(struct bench *b, uint64_t time, uint32_t tgid, uint32_t tid)
{
	const struct task_record task = {.tgid = tgid, .parent_tgid = tgid, .tid = tid,
					 .parent_tid = tgid, .time = time};

	made_put_task(&b->made, 0, &task, PERF_RECORD_FORK);
}

/* A process may be sampled after the record of its end, alone or not: nothing is removed at once. */
static void an_exit_takes_nothing_yet(struct test *t)
{
	struct bench b;

	bench_open(&b);
	made_put_map(&b.made, 0, 100, PARENT, CODE, 0, "/bin/one");
	made_put_fork(&b.made, 0, 110, PARENT, CHILD);
	made_put_fork(&b.made, 0, 120, PARENT, OTHER);
	put_thread(&b, 130, OTHER, OTHER + 1000);
	made_put_exit(&b.made, 1, 140, OTHER, OTHER + 1000);
	made_put_exit(&b.made, 1, 150, OTHER, OTHER);
	made_put_exit(&b.made, 1, 160, CHILD, CHILD);
	(void)apply(&b, 159);
	CHECK_STR(t, mapped(&b, CHILD, CODE), "/bin/one");
	CHECK(t, sideband_apply(b.sideband, ALL) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, CHILD, CODE), "/bin/one");
	CHECK_STR(t, mapped(&b, OTHER, CODE), "/bin/one");
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/one");
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_FORK), 2); /* threads are not processes */
	REQUIRE(t, told_count(&b.made, EVENT_EXIT) == 2);
	CHECK_INT(t, told(&b.made, EVENT_EXIT, 0)->event.exit.tgid, OTHER);
	CHECK_INT(t, told(&b.made, EVENT_EXIT, 1)->event.exit.tgid, CHILD);
	bench_close(&b);
}

/*
 * The last few hundred processes whose other threads may still run are kept; a reused number is not
 * taken for the old one.
 */
static void the_ended_are_given_up_in_time(struct test *t)
{
	enum { FIRST = 1000 };
	uint64_t time = 100;
	struct bench b;

	bench_open(&b);
	for (uint32_t i = 0; i < 2; i++) {
		made_put_map(&b.made, 0, ++time, FIRST + i, CODE, 0, "/bin/one");
		made_put_exit(&b.made, 0, ++time, FIRST + i, FIRST + i);
	}
	made_put_map(&b.made, 0, ++time, FIRST + 1, LIBRARY, 0, "/lib/one"); /* another one by now */
	for (uint32_t i = 0; i < ENDED_KEPT - 2; i++)
		made_put_exit(&b.made, 0, ++time, FIRST + 2 + i, FIRST + 2 + i);
	(void)apply(&b, ALL);
	CHECK_STR(t, mapped(&b, FIRST, CODE), "/bin/one");
	for (uint32_t i = 0; i < 2; i++)
		made_put_exit(&b.made, 0, ++time, 2 * FIRST + i, 2 * FIRST + i);
	(void)apply(&b, ALL);
	CHECK_STR(t, mapped(&b, FIRST, CODE), NULL);
	CHECK_STR(t, mapped(&b, FIRST + 1, CODE), "/bin/one");
	bench_close(&b);
}

/* As the kernel writes it when somebody else has asked for build-ids: the flag, and no build-id. */
static void put_flagged(struct bench *b, uint64_t time, uint64_t generation)
{
	struct mmap2_record record = {.header = {.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_MMAP_BUILD_ID},
				      .tgid = PARENT, .tid = PARENT, .start = CODE, .length = 0x1000,
				      .device_major = 8, .device_minor = 1, .inode = 501, .generation = generation};

	made_put(&b->made, 0, &record, sizeof(record), "/bin/flagged", time);
}

static void files_are_known_by_what_the_kernel_tells(struct test *t)
{
	const struct event_module *module;
	struct bench b;

	bench_open(&b);
	CHECK(t, !b.sideband->attr.build_id); /* perf beside us would abort */
	made_put_map(&b.made, 0, 100, PARENT, CODE, 0, "/bin/gone (deleted)");
	put_flagged(&b, 110, 7);
	put_flagged(&b, 120, 8); /* the inode is another file's by now */
	put_flagged(&b, 125, 8);
	made_put_map(&b.made, 0, 130, PARENT, LIBRARY, 0, "//anon");
	made_put_map(&b.made, 0, 140, UINT32_MAX, LIBRARY, 0, "/kernel"); /* its own text */
	(void)apply(&b, ALL);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_MODULE) == 4); /* the first is memory without a file */
	module = &told(&b.made, EVENT_MODULE, 1)->event.module;
	CHECK(t, module->path.length == strlen("/bin/gone") &&
			 !memcmp(module->path.bytes, "/bin/gone", module->path.length));
	CHECK_INT(t, module->flags, MODULE_DELETED);
	CHECK(t, module->device == makedev(8, 1) && module->inode == 500 && !module->build_id.length);
	module = &told(&b.made, EVENT_MODULE, 2)->event.module;
	CHECK(t, module->device == makedev(8, 1) && module->inode == 501 && !module->build_id.length);
	CHECK_INT(t, module->flags, 0);
	CHECK_INT(t, told_count(&b.made, EVENT_MAPPING), 5);
	CHECK(t, told(&b.made, EVENT_MAPPING, 1)->event.mapping.module !=
			 told(&b.made, EVENT_MAPPING, 2)->event.mapping.module);
	CHECK_INT(t, told(&b.made, EVENT_MAPPING, 3)->event.mapping.module,
		  told(&b.made, EVENT_MAPPING, 2)->event.mapping.module);
	CHECK_INT(t, told(&b.made, EVENT_MAPPING, 4)->event.mapping.module, b.made.anonymous);
	bench_close(&b);
}

/* Memory in place of a file's code is memory until somebody has compared it. Until then it needs the names of both. */
static void memory_over_code_is_perhaps_a_copy(struct test *t)
{
	struct sideband_mapping wide = {.time = 300, .tgid = PARENT, .start = CODE, .end = CODE + 0x2000, .path = ""};
	const struct event_mapping *mapping;
	struct hit *hits;
	uint32_t file;
	struct bench b;

	bench_open(&b);
	made_put_map(&b.made, 0, 100, PARENT, CODE, 0x3000, "/bin/one");
	made_put_map(&b.made, 0, 200, PARENT, CODE, 0, "//anon");
	(void)apply(&b, ALL);
	made_recording_read(&b.made);
	file = told(&b.made, EVENT_MAPPING, 0)->event.mapping.module;
	mapping = &told(&b.made, EVENT_MAPPING, 1)->event.mapping;
	CHECK(t, mapping->module == b.made.anonymous && !mapping->flags && mapping->start == CODE);
	hits_mark(b.made.recording.hits, PARENT, hits_generation(b.made.recording.hits, PARENT),
		  &(uint64_t){CODE + 0x10}, 1);
	REQUIRE(t, hits_sorted(b.made.recording.hits, &hits) == 2);
	CHECK(t, hits[0].module == file && hits[0].offset == 0x3010);
	CHECK(t, hits[1].jit_tgid == PARENT && hits[1].offset == CODE + 0x10);
	sideband_map(b.sideband, &wide); /* more than the file */
	CHECK_STR(t, mapped(&b, PARENT, CODE), "");
	bench_close(&b);
}

/* Shared memory has a name. A file without one, or one in memory, may be a program or not. */
static void memory_with_a_name_is_no_file(struct test *t)
{
	struct hit *hits;
	struct bench b;

	bench_open(&b);
	made_put_map(&b.made, 0, 100, PARENT, CODE, 0, "/dev/zero (deleted)");
	made_put_map(&b.made, 0, 200, PARENT, LIBRARY, 0, "/memfd:code (deleted)");
	made_put_map(&b.made, 0, 300, PARENT, LIBRARY + 0x1000, 0, "/bin/one");
	(void)apply(&b, ALL);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_MODULE) == 4);
	CHECK_INT(t, told(&b.made, EVENT_MODULE, 1)->event.module.kind, MODULE_ANONYMOUS);
	CHECK_INT(t, told(&b.made, EVENT_MODULE, 2)->event.module.kind, MODULE_FILE);
	hits_mark(b.made.recording.hits, PARENT, hits_generation(b.made.recording.hits, PARENT),
		  (uint64_t[]){CODE, LIBRARY + 1, LIBRARY + 0x1001}, 3);
	REQUIRE(t, hits_sorted(b.made.recording.hits, &hits) == 5);
	CHECK(t, hits[3].jit_tgid == PARENT && hits[3].offset == CODE);
	CHECK(t, hits[4].jit_tgid == PARENT && hits[4].offset == LIBRARY);
	CHECK_INT(t, module_table_set_memory(b.made.recording.modules,
					     told(&b.made, EVENT_MODULE, 2)->event.module.id), 0);
	made_recording_read(&b.made);
	CHECK_INT(t, told(&b.made, EVENT_MODULE, 4)->event.module.kind, MODULE_ANONYMOUS);
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

static void what_is_told_once_more_is_told_only_where_it_is_new(struct test *t)
{
	struct sideband_mapping again = {.time = 300, .tgid = PARENT, .start = CODE,
					 .end = CODE + 0x1000, .path = "/bin/one",
					 .device = makedev(8, 1), .inode = 500,
					 .flags = MAPPING_INITIAL, .only_new = true};
	struct bench b;

	bench_open(&b);
	made_put_map(&b.made, 0, 100, PARENT, CODE, 0, "/bin/one");
	(void)apply(&b, ALL);
	sideband_map(b.sideband, &again);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_MAPPING), 1);
	again.end += 0x1000;
	sideband_map(b.sideband, &again);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_MAPPING), 2);
	CHECK_INT(t, told(&b.made, EVENT_MAPPING, 1)->event.mapping.flags, MAPPING_INITIAL);
	bench_close(&b);
}

static void put_ksymbol(struct bench *b, uint64_t time, bool gone)
{
	const struct ksymbol_record record = {.header = {.type = PERF_RECORD_KSYMBOL},
					      .address = 0x5000,
					      .length = 64,
					      .type = PERF_RECORD_KSYMBOL_TYPE_BPF,
					      .flags = gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0};

	made_put(&b->made, 0, &record, offsetof(struct ksymbol_record, name), "bpf_prog_1234_one", time);
}

static void text_of_the_kernel_comes_and_goes(struct test *t)
{
	struct bench b;

	bench_open(&b);
	put_ksymbol(&b, 100, false);
	put_ksymbol(&b, 200, true);
	(void)apply(&b, 150);
	CHECK(t, b.map.added == 1 && !b.map.removed && b.map.address == 0x5000 && b.map.length == 64 && b.map.bpf);
	CHECK_STR(t, b.map.name, "bpf_prog_1234_one");
	(void)sideband_apply(b.sideband, ALL);
	CHECK(t, b.map.added == 1 && b.map.removed == 1);
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

static void put_renamed(struct bench *b, uint64_t time)
{
	static const char text[] =
		"a name of many more bytes than a thread can have, "
		"so that the ring has soon been gone around: "
		"a name of many more bytes than a thread can have, "
		"so that the ring has soon been gone around";

	made_put_comm(&b->made, 0, time, PARENT, false, text + time % 2 * 50);
}

/* Records across its end, too; if it is found full, that is counted. */
static void a_ring_goes_around(struct test *t)
{
	enum { BATCH = 997, BATCHES = 20, FIRST = 100 };
	uint64_t time = FIRST, in_order = 0;
	struct stream_cpu totals = {0};
	struct perf_ring *ring;
	struct bench b;

	bench_open(&b);
	ring = &b.sideband->rings[0];
	for (int batch = 0; batch < BATCHES; batch++) {
		for (int i = 0; i < BATCH; i++)
			put_renamed(&b, time++);
		(void)apply(&b, ALL);
	}
	CHECK(t, ring->page->data_head > ring->size);
	CHECK(t, ring->page->data_tail == ring->page->data_head);
	made_recording_read(&b.made);
	for (size_t i = 0; i < b.made.told.count; i++)
		if (b.made.told.items[i].event.kind == EVENT_COMM)
			in_order += b.made.told.items[i].event.comm.time == FIRST + in_order;
	CHECK_INT(t, in_order, BATCH * BATCHES);
	for (perf_ring_look(ring); perf_ring_room(ring) > 4096; perf_ring_look(ring))
		put_renamed(&b, time++);
	sideband_totals(b.sideband, 0, &totals);
	CHECK_INT(t, totals.full, 0);
	sideband_look(b.sideband);
	sideband_totals(b.sideband, 0, &totals);
	CHECK_INT(t, totals.full, 1);
	bench_close(&b);
}

static void a_ring_that_is_opened_anew_begins_anew(struct test *t)
{
	struct bench b;

	bench_open(&b);
	made_put_map(&b.made, 1, 100, PARENT, CODE, 0, "/bin/one");
	sideband_look(b.sideband);
	CHECK_INT(t, sideband_reopen(b.sideband, NULL, 1), 0);
	CHECK(t, sideband_is_open(b.sideband, 1));
	CHECK(t, sideband_apply(b.sideband, ALL) == UINT64_MAX);
	CHECK_STR(t, mapped(&b, PARENT, CODE), NULL);
	made_put_map(&b.made, 1, 200, PARENT, CODE, 0, "/bin/two");
	(void)apply(&b, ALL);
	CHECK_STR(t, mapped(&b, PARENT, CODE), "/bin/two");
	sideband_maps_unavailable(b.sideband, PARENT, -ETIMEDOUT);
	made_recording_read(&b.made);
	CHECK_INT(t, told(&b.made, EVENT_MAPS_UNAVAILABLE, 0)->event.maps_unavailable.tgid, PARENT);
	CHECK_INT(t, told(&b.made, EVENT_MAPS_UNAVAILABLE, 0)->event.maps_unavailable.reason, ETIMEDOUT);
	bench_close(&b);
}

/* A dump says it again of those that still are what they were. */
static void what_is_unavailable_is_told_again(struct test *t)
{
	struct bench b;

	bench_open(&b);
	for (uint32_t tgid = 101; tgid <= 104; tgid++)
		sideband_maps_unavailable(b.sideband, tgid, -EACCES);
	made_put_comm(&b.made, 0, 150, 101, true, "two");
	made_put_comm(&b.made, 0, 160, 102, false, "renamed");
	made_put_exit(&b.made, 0, 170, 103, 103 + 1000);
	made_put_exit(&b.made, 0, 180, 104, 104);
	(void)apply(&b, ALL);
	sideband_tell_unavailable(b.sideband);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_MAPS_UNAVAILABLE) == 6);
	CHECK_INT(t, told(&b.made, EVENT_MAPS_UNAVAILABLE, 4)->event.maps_unavailable.tgid +
			     told(&b.made, EVENT_MAPS_UNAVAILABLE, 5)->event.maps_unavailable.tgid, 102 + 103);
	bench_close(&b);
}

static void what_was_seen_is_forgotten_when_nobody_asks(struct test *t)
{
	struct bench b;

	bench_open(&b);
	made_put_fork(&b.made, 0, 100, PARENT, CHILD);
	(void)apply(&b, ALL);
	CHECK_INT(t, sideband_seen(b.sideband, CHILD), SIDEBAND_FORKED);
	sideband_stop_seeing(b.sideband);
	made_put_comm(&b.made, 0, 110, CHILD, true, "child");
	(void)apply(&b, ALL);
	CHECK_INT(t, sideband_start_seeing(b.sideband), 0);
	CHECK_INT(t, sideband_seen(b.sideband, CHILD), 0);
	made_put_comm(&b.made, 0, 120, CHILD, true, "child");
	(void)apply(&b, ALL);
	CHECK_INT(t, sideband_seen(b.sideband, CHILD), SIDEBAND_EXECED);
	bench_close(&b);
}

TEST_MAIN(TEST(a_mapping_is_there_from_its_moment_on), TEST(cpus_are_read_in_the_order_of_time),
	  TEST(what_is_younger_than_the_look_waits), TEST(an_exec_empties_the_process),
	  TEST(an_exit_takes_nothing_yet), TEST(the_ended_are_given_up_in_time),
	  TEST(files_are_known_by_what_the_kernel_tells), TEST(memory_over_code_is_perhaps_a_copy),
	  TEST(memory_with_a_name_is_no_file), TEST(processes_may_share_their_memory),
	  TEST(what_is_told_once_more_is_told_only_where_it_is_new),
	  TEST(text_of_the_kernel_comes_and_goes), TEST(what_the_kernel_could_not_tell_is_counted),
	  TEST(a_ring_goes_around), TEST(a_ring_that_is_opened_anew_begins_anew),
	  TEST(what_is_unavailable_is_told_again),
	  TEST(what_was_seen_is_forgotten_when_nobody_asks))
