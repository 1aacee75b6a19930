/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which mapped files are one module, and what is written about each: once, and before anything refers to it. */
#include "record/place/module_table.h"

#include "tests/test.h"
#include "tests/unit/record/made_recording.h"

enum { FIRST = 2 }; /* made_recording.h has requested memory without a file */

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
	CHECK_INT(t, module_table_file(modules, &identity), FIRST);
	identity.generation = 1;
	CHECK_INT(t, module_table_file(modules, &identity), FIRST);
	identity.generation = 2;
	CHECK_INT(t, module_table_file(modules, &identity), FIRST + 1);
	CHECK_INT(t, module_table_file(modules, &identity), FIRST + 1);
	identity.generation = 0;
	CHECK_INT(t, module_table_file(modules, &identity), FIRST + 1);
	CHECK_INT(t, module_table_file_anew(modules, &identity), FIRST + 2); /* written over */
	CHECK_INT(t, module_table_file(modules, &identity), FIRST + 2);
	CHECK_INT(t, module_table_find(modules, FIRST)->generation, 1);
	made_recording_close(&made);
}

/* Beyond that many files each occurrence is a module of its own, written and counted, but not kept. */
static void what_does_not_fit_is_counted(struct test *t)
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
	CHECK_INT(t, file(&made, "/lib/77", 77, 0), FIRST + 76);
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

/* Files of processes that are gone, for all that is known, are one user's: half of the table is left for root. */
static void one_user_leaves_room_for_others(struct test *t)
{
	struct module_identity identity = {.device = 8, .tgid = UINT32_MAX / 2};
	struct made_recording made;
	char path[32];

	made_recording_open(&made, 1);
	for (uint32_t i = 1; i <= MODULE_TABLE_MAX; i++) {
		(void)snprintf(path, sizeof(path), "/lib/%u", i);
		identity.path = path;
		identity.inode = i;
		(void)module_table_file(made.recording.modules, &identity);
	}
	CHECK(t, module_table_untracked(made.recording.modules) >= MODULE_TABLE_MAX / 2 - 1);
	CHECK(t, module_table_find(made.recording.modules, file(&made, "/bin/root", 5, 0)) != NULL);
	made_recording_close(&made);
}

TEST_MAIN(TEST(a_generation_is_a_file), TEST(what_nothing_names_is_forgotten),
	  TEST(what_does_not_fit_is_counted), TEST(one_user_leaves_room_for_others))
