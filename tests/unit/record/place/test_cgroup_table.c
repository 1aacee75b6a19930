/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The table of control groups, given what the programs would write: ids that are used again, more than fit. */
#include "record/place/cgroups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ring.h"
#include "format/limits.h"
#include "tests/test.h"
#include "tests/unit/record/made_recording.h"

enum { ROOT = 1, START = 1000 };

struct bench {
	struct made_recording made;
	struct cgroup_table *table;
};

static void bench_open(struct bench *bench)
{
	made_recording_open(&bench->made, 1);
	bench->made.recording.start = START;
	made_check(cgroup_table_create(&bench->made.recording, &bench->table));
}

static void bench_close(struct bench *bench)
{
	cgroup_table_destroy(bench->table);
	made_recording_close(&bench->made);
}

static void say(struct bench *bench, enum ring_cgroup_kind kind, uint64_t time, uint64_t id, uint64_t parent,
		const char *name)
{
	struct ring_cgroup record = {.time = time, .id = id, .parent = parent, .kind = kind};

	record.length = (uint32_t)snprintf(record.name, sizeof(record.name), "%s", name);
	cgroup_table_take(bench->table, &record);
}

/* The list of a host: its root, a slice and a service in it. */
static void list(struct bench *bench)
{
	cgroup_table_begin_list(bench->table);
	say(bench, RING_CGROUP_EXISTS, START + 5, ROOT, 0, "");
	say(bench, RING_CGROUP_EXISTS, START + 5, 10, ROOT, "system.slice");
	say(bench, RING_CGROUP_EXISTS, START + 5, 11, 10, "web.service");
	cgroup_table_end_list(bench->table);
}

/* The n-th record that was written. */
static const struct event_cgroup *read_told(struct bench *bench, size_t n)
{
	made_recording_read(&bench->made);
	return &told(&bench->made, EVENT_CGROUP, n)->event.cgroup;
}

static size_t read_count(struct bench *bench)
{
	made_recording_read(&bench->made);
	return told_count(&bench->made, EVENT_CGROUP);
}

static void check_told(struct test *t, struct bench *bench, size_t n, const char *path, uint64_t time, uint64_t flags)
{
	const struct event_cgroup *group = read_told(bench, n);

	test_check(t, group->path.length == strlen(path) && !memcmp(group->path.bytes, path, strlen(path)),
		   "path %zu is '%.*s', not '%s'", n, (int)group->path.length, group->path.bytes, path);
	test_int(t, (long long)group->time, (long long)time, path);
	test_int(t, (long long)group->flags, (long long)flags, path);
}

/* An id that is used again after its removal is reported again, also if a task was just seen there. */
static void tells_an_id_that_is_reused(struct test *t)
{
	struct bench bench;

	bench_open(&bench);
	list(&bench);
	say(&bench, RING_CGROUP_MADE, START + 10, 20, 10, "old");
	cgroup_table_see(bench.table, 20);
	say(&bench, RING_CGROUP_REMOVED, START + 20, 20, 10, "old");
	say(&bench, RING_CGROUP_MADE, START + 30, 20, 11, "new");
	cgroup_table_see(bench.table, 20);
	CHECK_INT(t, read_count(&bench), 3);
	check_told(t, &bench, 2, "/system.slice/web.service/new", START + 30, 0);
	say(&bench, RING_CGROUP_REMOVED, START + 40, 20, 11, "new");
	check_told(t, &bench, 3, "", START + 40, CGROUP_REMOVED);
	bench_close(&bench);
}

/* --- limits --- */

/* A name that the programs cannot have sent is ignored; a path that is too long, or has no root, is not known. */
static void bounds_names_and_paths(struct test *t)
{
	struct ring_cgroup large = {.time = START + 1, .id = 50, .parent = ROOT, .kind = RING_CGROUP_MADE,
				    .length = RING_CGROUP_NAME};
	enum { LETTERS = RING_CGROUP_NAME - 1, FITS = RWK_MAX_STRING / (LETTERS + 1) };
	char name[RING_CGROUP_NAME];
	struct bench bench;

	bench_open(&bench);
	list(&bench);
	cgroup_table_take(bench.table, &large);
	memset(name, 'n', LETTERS);
	name[LETTERS] = '\0';
	for (uint64_t i = 0; i <= FITS && i < 250; i++)
		say(&bench, RING_CGROUP_MADE, START + 2, 100 + i, i ? 99 + i : ROOT, name);
	cgroup_table_see(bench.table, 50);
	cgroup_table_see(bench.table, 100);
	cgroup_table_see(bench.table, 100 + FITS - 1);
	cgroup_table_see(bench.table, 100 + FITS);
	say(&bench, RING_CGROUP_MADE, START + 2, 60, 61, "one");
	say(&bench, RING_CGROUP_MADE, START + 2, 61, 60, "another");
	cgroup_table_see(bench.table, 60);
	CHECK_INT(t, read_count(&bench), 4);
	CHECK_INT(t, read_told(&bench, 0)->path.length, LETTERS + 1);
	CHECK_INT(t, read_told(&bench, 1)->path.length, FITS * (LETTERS + 1));
	CHECK_INT(t, read_told(&bench, 2)->path.length, 0);
	CHECK_INT(t, read_told(&bench, 3)->path.length, 0);
	bench_close(&bench);
}

static void fill(struct bench *bench, uint64_t first, uint64_t count)
{
	char name[32];

	for (uint64_t i = 0; i < count; i++) {
		(void)snprintf(name, sizeof(name), "group-%llu", (unsigned long long)(first + i));
		say(bench, RING_CGROUP_MADE, START + first + i, first + i, ROOT, name);
	}
}

/* Hosts make and remove groups all the time: a removed one makes room, two passes later. */
static void forgets_what_was_removed(struct test *t)
{
	enum { ROUNDS = 20, EACH = CGROUP_TABLE_MOST - 3 };
	struct bench bench;
	uint64_t id = 1000;

	bench_open(&bench);
	list(&bench);
	for (int round = 0; round < ROUNDS; round++, id += EACH) {
		fill(&bench, id, EACH);
		cgroup_table_see(bench.table, id);
		cgroup_table_see(bench.table, id + EACH - 1);
		for (uint64_t i = 0; i < EACH; i++)
			say(&bench, RING_CGROUP_REMOVED, START + id, id + i, ROOT, "");
		for (int pass = 0; pass < 3; pass++)
			cgroup_table_pass(bench.table);
	}
	cgroup_table_see(bench.table, 11);
	CHECK_INT(t, cgroup_table_left_out(bench.table), 0);
	CHECK_INT(t, read_count(&bench), 4 * ROUNDS + 1);
	check_told(t, &bench, 4 * ROUNDS, "/system.slice/web.service", START, CGROUP_INITIAL);
	bench_close(&bench);
}

TEST_MAIN(TEST(tells_an_id_that_is_reused), TEST(bounds_names_and_paths),
	  TEST(forgets_what_was_removed))
