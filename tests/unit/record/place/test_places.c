/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/address_space.h"
#include "common/time_units.h"
#include "format/event.h"
#include "record/place/hits.h"
#include "record/place/module_table.h"
#include "record/place/streams.h"
#include "record/place/user_shares.h"
#include "tests/test.h"
#include "tests/unit/record/made_recording.h"

/* --- which offsets of which modules user stacks hit --- */

enum { ANONYMOUS = 3, PROGRAM = 5, LIBRARY = 6, TGID = 100, OTHER = 101 };
#define CODE UINT64_C(0x400000)
#define JIT UINT64_C(0x7f0000000000)

static void map_there(struct hits *hits, uint32_t tgid, uint64_t start, uint64_t file_offset, uint32_t module)
{
	(void)address_spaces_map(hits_spaces(hits), tgid,
				 &(struct mapping){.start = start, .end = start + 0x10000,
						   .file_offset = file_offset, .module = module});
}

static struct hits *hits_open(bool wanted)
{
	struct hits *hits;

	if (hits_create(ANONYMOUS, wanted, 0, &hits) < 0)
		return NULL;
	map_there(hits, TGID, CODE, 0x2000, PROGRAM);
	map_there(hits, TGID, JIT, 0, ANONYMOUS);
	return hits;
}

static void mark(struct hits *hits, uint32_t tgid, const uint64_t *addresses, size_t count)
{
	hits_mark(hits, tgid, hits_generation(hits, tgid), addresses, count);
}

/* A stack keeps what comes before the first caller outside all code; in a process without mappings, its leaf. */
static void a_stack_ends_where_it_leaves_the_code(struct test *t)
{
	const uint64_t stack[] = {0x10, CODE + 0x20, JIT + 8, CODE + 0x10000, CODE, CODE + 0x10};
	struct hits *hits = hits_open(false);
	uint64_t generation;

	REQUIRE(t, hits);
	generation = hits_generation(hits, TGID);
	CHECK(t, hits_code(hits, TGID, generation, stack, 0) == 0);
	/* The fourth returns to the first byte behind the code. */
	CHECK(t, hits_code(hits, TGID, generation, stack, 4) == 4);
	CHECK(t, hits_code(hits, TGID, generation, stack, 6) == 4); /* the byte before CODE is not code */
	CHECK(t, hits_code(hits, TGID, generation, stack, 6) == 4); /* from the cache */
	CHECK(t, hits_code(hits, OTHER, hits_generation(hits, OTHER), stack, 3) == 1);
	CHECK(t, hits_code(hits, OTHER, hits_generation(hits, OTHER), stack, 1) == 1);
	hits_destroy(hits);
}

/* Remembered addresses are found by a part of that number: another state with the same part is not confused with it. */
static void states_are_told_apart_by_all_of_their_number(struct test *t)
{
	enum { PART = 1 << 16 };
	const uint64_t address = CODE + 0x10;
	struct hits *hits = hits_open(true);
	uint64_t first, offset = 0x100;
	struct hit *sorted;

	REQUIRE(t, hits);
	first = hits_generation(hits, TGID);
	mark(hits, TGID, &address, 1);
	hits_mark_word(hits, TGID, first, CODE + 0x21);
	do
		map_there(hits, TGID, CODE, offset ^= 0x1000, LIBRARY);
	while ((hits_generation(hits, TGID) - first) % PART);
	mark(hits, TGID, &address, 1);
	hits_mark_word(hits, TGID, hits_generation(hits, TGID), CODE + 0x21);
	REQUIRE(t, hits_sorted(hits, &sorted) == 4);
	CHECK(t, sorted[2].module == LIBRARY && sorted[2].offset == offset + 0x10);
	CHECK(t, sorted[3].module == LIBRARY && sorted[3].offset == offset + 0x20);
	hits_destroy(hits);
}

/* More than any table can hold: the rest are counted, and existing ones can be found after all growth. */
static void what_does_not_fit_is_counted(struct test *t)
{
	enum { MOST = 393216, MORE = 1000, CHUNK = 4096 };
	struct hits *hits = hits_open(true);
	uint64_t addresses[CHUNK], wrong = 0;
	struct hit *sorted;

	REQUIRE(t, hits);
	(void)address_spaces_map(hits_spaces(hits), TGID,
				 &(struct mapping){.start = CODE, .end = CODE + (1 << 22), .module = PROGRAM});
	for (uint64_t next = 0; next < MOST + MORE; next += CHUNK) {
		size_t count = next + CHUNK < MOST + MORE ? CHUNK : MOST + MORE - next;

		for (size_t i = 0; i < count; i++)
			addresses[i] = CODE + next + i + (i > 0);
		mark(hits, TGID, addresses, count);
	}
	CHECK_INT(t, hits_dropped(hits), MORE);
	REQUIRE(t, hits_sorted(hits, &sorted) == MOST);
	for (uint64_t i = 0; i < MOST; i++)
		wrong += sorted[i].offset != i || sorted[i].module != PROGRAM;
	CHECK_INT(t, wrong, 0);
	mark(hits, TGID, (const uint64_t[]){CODE + 77}, 1); /* there already */
	CHECK_INT(t, hits_dropped(hits), MORE);
	hits_destroy(hits);
}

/* --- one user takes no other user's room --- */

enum { ROOM = 1000, VILLAIN = 65533, HONEST = 1000, CHILD_USER = 4242 };

static uint64_t fill(struct user_shares *shares, uint32_t uid)
{
	uint64_t count = 0;

	while (user_shares_take(shares, uid, 1))
		count++;
	return count;
}

static void one_user_leaves_room_for_the_others(struct test *t)
{
	struct user_shares shares = {.room = ROOM};

	CHECK_INT(t, fill(&shares, VILLAIN), ROOM / 2);
	CHECK_INT(t, fill(&shares, USER_UNKNOWN), ROOM / 4);
	CHECK_INT(t, fill(&shares, HONEST), ROOM / 8);
	CHECK_INT(t, fill(&shares, 0), ROOM - ROOM / 2 - ROOM / 4 - ROOM / 8);
	user_shares_give(&shares, VILLAIN, 400);
	CHECK_INT(t, fill(&shares, VILLAIN), 150); /* has 250, as much as is left */
	user_shares_clear(&shares);
	CHECK(t, user_shares_take(&shares, HONEST, ROOM / 2) && !user_shares_take(&shares, HONEST, 1));
}

/* A process that is not dumpable has a folder of root's in /proc. */
static void a_process_has_its_real_user(struct test *t)
{
	if (geteuid())
		SKIP(t, "needs root");

	struct process_users users = {0};
	int ready[2];
	char byte;
	pid_t pid;

	REQUIRE(t, !pipe(ready));
	pid = fork();
	if (!pid) {
		if (setresuid(CHILD_USER, CHILD_USER, CHILD_USER) || prctl(PR_SET_DUMPABLE, 0) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			(void)pause();
	}
	CHECK_INT(t, read(ready[0], &byte, 1), 1);
	CHECK_INT(t, process_user(&users, (uint32_t)pid), CHILD_USER);
	CHECK_INT(t, process_user(&users, (uint32_t)getpid()), 0);
	CHECK_INT(t, process_user(&users, 0), 0);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	(void)usleep(150000); /* the answer is valid for a moment */
	CHECK_INT(t, process_user(&users, (uint32_t)pid), USER_UNKNOWN);
}

/* --- which mapped files are one module --- */

enum { FIRST_MODULE = 2 }; /* made_recording.h has requested memory without a file */

static uint32_t file(struct made_recording *made, const char *path, uint64_t inode, uint8_t build)
{
	struct module_identity identity = {.path = path, .device = inode ? 8 : 0, .inode = inode};

	identity.build_id.length = build ? 20 : 0;
	memset(identity.build_id.bytes, build, identity.build_id.length);
	return module_table_file(made->recording.modules, &identity);
}

/* An inode may become another file's. A list of mappings does not say which one it is. */
static void a_generation_is_a_file(struct test *t)
{
	struct module_identity identity = {.path = "/bin/one", .device = 8, .inode = 5};
	struct made_recording made;
	struct module_table *modules;

	made_recording_open(&made, 1);
	modules = made.recording.modules;
	CHECK_INT(t, module_table_file(modules, &identity), FIRST_MODULE);
	identity.generation = 1;
	CHECK_INT(t, module_table_file(modules, &identity), FIRST_MODULE);
	identity.generation = 2;
	CHECK_INT(t, module_table_file(modules, &identity), FIRST_MODULE + 1);
	CHECK_INT(t, module_table_file(modules, &identity), FIRST_MODULE + 1);
	identity.generation = 0;
	CHECK_INT(t, module_table_file(modules, &identity), FIRST_MODULE + 1);
	CHECK_INT(t, module_table_file_anew(modules, &identity), FIRST_MODULE + 2); /* written over */
	CHECK_INT(t, module_table_file(modules, &identity), FIRST_MODULE + 2);
	CHECK_INT(t, module_table_find(modules, FIRST_MODULE)->generation, 1);
	made_recording_close(&made);
}

/* Beyond that many files each occurrence is a module of its own, written and counted, but not kept. */
static void modules_that_do_not_fit_are_counted(struct test *t)
{
	struct made_recording made;
	uint32_t number = 0;
	char path[32];

	made_recording_open(&made, 1);
	for (uint32_t i = 1; i < MODULE_TABLE_MAX; i++) {
		(void)snprintf(path, sizeof(path), "/lib/%u", i);
		number = file(&made, path, i, 0);
	}
	CHECK_INT(t, number, MODULE_TABLE_MAX);
	CHECK_STR(t, module_table_find(made.recording.modules, number)->path, path);
	CHECK_INT(t, module_table_untracked(made.recording.modules), 0);
	CHECK_INT(t, file(&made, "/lib/more", 5, 0), 4 * MODULE_TABLE_MAX);
	CHECK_INT(t, file(&made, "/lib/more", 5, 0), 4 * MODULE_TABLE_MAX + 1);
	CHECK(t, !module_table_find(made.recording.modules, 4 * MODULE_TABLE_MAX));
	CHECK_INT(t, module_table_untracked(made.recording.modules), 2);
	CHECK_INT(t, file(&made, "/lib/77", 77, 0), FIRST_MODULE + 76);
	made_recording_read(&made);
	CHECK_INT(t, told_count(&made, EVENT_MODULE), MODULE_TABLE_MAX + 2);
	made_recording_close(&made);
}

static void note_dropped(void *context, uint32_t id)
{
	*(uint32_t *)context = id;
}

/* What was mapped lately, or is in use, keeps its number. */
static void what_nothing_names_is_forgotten(struct test *t)
{
	struct made_recording made;
	struct module_table *modules;
	uint32_t used, left, late, dropped = 0;

	made_recording_open(&made, 1);
	modules = made.recording.modules;
	left = file(&made, "/bin/left", 5, 0);
	used = file(&made, "/bin/used", 6, 0);
	for (int i = 0; i <= MODULE_TURNS; i++)
		CHECK(t, !module_table_turn(modules)); /* there is room */
	late = file(&made, "/bin/late", 7, 0);
	module_table_use(modules, used);
	module_table_collect(modules, note_dropped, &dropped);
	CHECK_INT(t, dropped, left);
	CHECK(t, !module_table_find(modules, left) && module_table_find(modules, made.anonymous));
	CHECK_STR(t, module_table_find(modules, used)->path, "/bin/used");
	CHECK_INT(t, file(&made, "/bin/used", 6, 0), used);
	CHECK_INT(t, file(&made, "/bin/late", 7, 0), late);
	CHECK(t, file(&made, "/bin/left", 5, 0) > late);
	made_recording_close(&made);
}

/* --- stream watch --- */

enum { CPUS = 3 };

struct host { /* what happens on it, and how much of it is reported */
	struct stream_watch watch;
	struct stream_cpu cpus[CPUS];
	bool deaf[CPUS];
	uint64_t now;
};

static bool host_begin(struct test *t, struct host *host)
{
	*host = (struct host){.now = 5000 * MILLISECOND};
	if (!test_check(t, stream_watch_init(&host->watch, CPUS) == 0, "memory"))
		return false;
	stream_watch_begin(&host->watch, host->now, host->cpus);
	return true;
}

static void come(struct host *host, uint32_t cpu, enum ring_life life, uint64_t count)
{
	if (host->deaf[cpu])
		return;
	host->cpus[cpu].records.counts[life] += count;
	host->cpus[cpu].any += count;
}

static void happen(struct host *host, uint32_t cpu, enum ring_life life, uint64_t count)
{
	host->cpus[cpu].counted.counts[life] += count;
	come(host, cpu, life, count);
}

/* When the watch requests it. */
static bool look(struct host *host)
{
	host->now = stream_watch_next(&host->watch, host->now);
	return stream_watch_look(&host->watch, host->now, host->cpus);
}

/* A task may be counted here and recorded there, its record may be late, and an exit very late. */
static void what_moves_or_is_late_is_not_missing(struct test *t)
{
	struct host host;

	if (!host_begin(t, &host))
		return;
	for (uint64_t i = 0; i < 100; i++) {
		host.cpus[i % CPUS].counted.counts[RING_LIFE_FORK] += 2;
		host.cpus[0].counted.counts[RING_LIFE_EXIT] += 1;
		CHECK(t, !look(&host));
		come(&host, (i + 1) % CPUS, RING_LIFE_FORK, 2);
		come(&host, 1, RING_LIFE_RENAME, i % 2);
	}
	stream_watch_deinit(&host.watch);
}

/* Until the watch reports it; how many looks and ms that took. */
static int looks_until_noticed(struct host *host, uint32_t cpu, uint64_t *ret_ms)
{
	uint64_t since = host->now;
	int looks = 0;

	do {
		happen(host, cpu, RING_LIFE_FORK, 1);
		happen(host, cpu, RING_LIFE_RENAME, 1);
	} while (!look(host) && looks++ < 10);
	*ret_ms = (host->now - since) / MILLISECOND;
	return looks;
}

static void a_ring_that_dies_is_noticed(struct test *t)
{
	struct host host;
	uint64_t ms;

	for (uint32_t busy = 0; busy < 2; busy++) { /* records of others do not hide it */
		if (!host_begin(t, &host))
			return;
		for (int i = 0; i < 6; i++) {
			happen(&host, 1, RING_LIFE_FORK, 2);
			happen(&host, 0, RING_LIFE_FORK, busy * 1000);
			CHECK(t, !look(&host));
		}
		look(&host); /* quiet: the surplus is known */
		look(&host);
		host.deaf[1] = true;
		happen(&host, 0, RING_LIFE_FORK, busy * 1000);
		CHECK(t, looks_until_noticed(&host, 1, &ms) < 3);
		CHECK(t, ms <= 2000);
		CHECK_INT(t, host.watch.verdicts[1].cause, UNSURE_SILENT);
		CHECK(t, host.watch.verdicts[1].missing >= 2);
		CHECK_INT(t, host.watch.verdicts[0].cause, 0);
		CHECK_INT(t, host.watch.verdicts[2].cause, 0);
		stream_watch_deinit(&host.watch);
	}
}

TEST_MAIN(TEST(a_stack_ends_where_it_leaves_the_code),
	  TEST(states_are_told_apart_by_all_of_their_number), TEST(what_does_not_fit_is_counted),
	  TEST(one_user_leaves_room_for_the_others), TEST(a_process_has_its_real_user),
	  TEST(a_generation_is_a_file), TEST(what_nothing_names_is_forgotten),
	  TEST(modules_that_do_not_fit_are_counted), TEST(what_moves_or_is_late_is_not_missing),
	  TEST(a_ring_that_dies_is_noticed))
