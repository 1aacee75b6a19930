/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Task walks, and traces that are damaged or have several sections. */
#include <fcntl.h>

#include "report/profile/seam/profile.h"
#include "report/profile/seam/profile_objects.h"
#include "report/profile/seam/profile_state.h"
#include "report/profile/seam/profile_waits.h"
#include "tests/make_events.h"
#include "tests/test.h"
#include "tests/unit/report/account.h"

static const struct profile_filter everything = {.to = UINT64_MAX};
static const struct profile_names no_files = {0};

static struct made_trace *begin(char path[32])
{
	struct made_trace *trace;

	memcpy(path, "/tmp/rwalker-test-XXXXXX", 25);
	close(mkstemp(path));
	trace = made_trace_begin(path);
	made_trace_meta(trace, "hostname", "here");
	made_trace_meta(trace, "boot_id", "1-2-3");
	made_trace_source(trace, &(struct event_source){.id = 1, .kind = SOURCE_TASKS,
							.start = 1000, .stop = 9000}, "tasks");
	made_trace_source(trace, &(struct event_source){.id = 2, .kind = SOURCE_CPU, .start = 1000,
							.stop = 9000}, "cpu-clock");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = 1000, .realtime = 1000000000000001000, .window = 1}});
	made_trace_module(trace, 1, MODULE_KERNEL, "[kernel]", "aabb");
	made_trace_kernel_symbol(trace, 1, 0x100, 0x100, "schedule");
	return trace;
}

static void walk(struct made_trace *trace, uint64_t time, uint32_t number, uint64_t flags)
{
	made_trace_add(trace, &(struct event){.kind = EVENT_WALK,
					      .walk = {.time = time,
						       .number = number,
						       .source = 1,
						       .flags = flags,
						       .seen = 50,
						       .kept = 3}});
}

static struct profile *load(struct test *t, const char *const *paths, size_t count, const struct profile_filter *filter)
{
	struct profile *profile = NULL;

	CHECK(t, profile_create(paths, count, filter, &no_files, &profile) == 0);
	return profile;
}

/* As for waits: the operation, the object with the name of its process, and its holder. */
static void binds_what_tasks_slept_for(struct test *t)
{
	const struct event_task task = made_task(7, 8, 5, "sleeper"), owner = made_task(9, 9, 6, "holder");
	struct event_walk_task record = {.time = 2001, .walk = 1, .state = 2, .wait = 7, .bound = WAIT_EXACT,
					 .call = 1 << WAIT_CALL_BITS | WAIT_IN_CALL, .object = 4, .owner = 1,
					 .flags = WALK_TASK_FOR_READING | WALK_TASK_OWNER_READS};
	const struct event_object about = {.number = 4, .kind = OBJECT_LOCK, .tgid = 9, .lock = LOCK_RWSEM,
					   .flags = OBJECT_MMAP_LOCK};
	const struct event_stacks none = {0};
	const struct profile_operation *operations;
	const struct profile_walk_task *rows;
	const struct profile_object *objects;
	const struct profile_task *tasks;
	struct made_trace *trace;
	struct profile *profile;
	const char *paths[1];
	char path[32];
	size_t count;

	trace = begin(path);
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = about});
	walk(trace, 2000, 1, 0);
	made_trace_check(event_log_add_walk_task(trace->log, &record, &task, &owner, &none), "walk task");
	made_trace_end(trace);
	paths[0] = path;
	profile = load(t, paths, 1, &everything);
	REQUIRE(t, profile != NULL);
	REQUIRE(t, profile_walk_tasks(profile, &rows) == 1);
	tasks = profile_tasks(profile, &count);
	CHECK_INT(t, rows[0].held,
		  PROFILE_HELD_BY_OWNER | PROFILE_HELD_FOR_READING | PROFILE_HELD_FROM_READING);
	CHECK_STR(t, tasks[rows[0].owner].comm, "holder");
	REQUIRE(t, rows[0].operation < profile_operations(profile, &operations));
	CHECK_STR(t, operations[rows[0].operation].name, "write");
	REQUIRE(t, rows[0].object && rows[0].object < profile_objects(profile, &objects));
	CHECK_INT(t, objects[rows[0].object].lock, PROFILE_LOCK_RWSEM);
	CHECK_STR(t, objects[rows[0].object].comm, "holder"); /* the process of the mmap_lock */
	profile_destroy(profile);
	unlink(path);
}

static const char *name_of(struct profile *profile, const struct profile_entry *entry)
{
	size_t count;

	return profile_symbol(profile, profile_nodes(profile, &count)[entry->node].frame)->name;
}

static void sample(struct made_trace *trace, uint64_t time, uint32_t tid)
{
	static const uint64_t kernel[] = {1ULL << 32 | 0x110, 0};

	made_trace_sample(trace, &(struct made_sample){.time = time,
						       .source = 2,
						       .tgid = tid,
						       .tid = tid,
						       .comm = "x",
						       .kernel = kernel});
}

/* One byte in the middle of an EVENTS chunk: that chunk is lost, the rest is there and has names. */
static void tells_of_a_damaged_chunk(struct test *t)
{
	const struct profile_source *sources;
	const struct profile_entry *entries;
	struct made_trace *trace;
	struct profile *profile;
	off_t middle = 0;
	const char *paths[1];
	char path[32];
	bool lost;
	int fd;

	trace = begin(path);
	for (uint64_t i = 0; i < 10; i++) {
		for (uint64_t j = 0; j < 100; j++)
			sample(trace, 1000000000 * (i + 1) + j, 7);
		made_trace_flush(trace);
		if (i == 5)
			middle = (off_t)trace_writer_bytes(trace->writer) - 16;
	}
	made_trace_end(trace);
	fd = open(path, O_RDWR);
	REQUIRE(t, fd >= 0 && pwrite(fd, "\x5a", 1, middle) == 1);
	close(fd);
	paths[0] = path;
	profile = load(t, paths, 1, &everything);
	REQUIRE(t, profile != NULL);
	REQUIRE(t, profile_sources(profile, &sources) == 2);
	CHECK_INT(t, sources[0].samples, 900);
	REQUIRE(t, profile_entries(profile, &entries) == 1);
	CHECK_STR(t, name_of(profile, &entries[0]), "schedule");
	CHECK(t, account_has(profile, "1 chunk lost between 6.000 s and 6.000 s", &lost));
	CHECK(t, lost);
	CHECK(t, account_has(profile, "the trace is damaged: 1 chunk lost, ", &lost));
	profile_destroy(profile);
	unlink(path);
}

/* The same in the chunk with modules, symbols and sources: its names are lost, and said to be; nothing is made up. */
static void damaged_state_is_told(struct test *t)
{
	const struct profile_entry *entries;
	struct made_trace *trace;
	struct profile *profile;
	const char *paths[1];
	off_t middle;
	char path[32];
	bool lost;
	int fd;

	trace = begin(path);
	made_trace_flush(trace);
	middle = (off_t)trace_writer_bytes(trace->writer) - 32;
	for (uint64_t i = 0; i < 100; i++)
		sample(trace, 1000000000 + i, 7);
	made_trace_end(trace);
	fd = open(path, O_RDWR);
	REQUIRE(t, fd >= 0 && pwrite(fd, "\x5a\x5a", 2, middle) == 2);
	close(fd);
	paths[0] = path;
	profile = load(t, paths, 1, &everything);
	REQUIRE(t, profile != NULL);
	for (size_t i = 0, count = profile_entries(profile, &entries); i < count; i++)
		CHECK(t, strcmp(name_of(profile, &entries[i]), "schedule") != 0);
	CHECK(t, account_has(profile, "the trace is damaged: 1 chunk lost, ", &lost) && lost);
	profile_destroy(profile);
	unlink(path);
}

TEST_MAIN(TEST(binds_what_tasks_slept_for), TEST(tells_of_a_damaged_chunk),
	  TEST(damaged_state_is_told))
