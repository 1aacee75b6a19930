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

static void a_file_is_told_once(struct test *t)
{
	const struct event_module *module;
	struct made_recording made;

	made_recording_open(&made, 1);
	CHECK_INT(t, file(&made, "/bin/one", 5, 0), FIRST);
	CHECK_INT(t, file(&made, "/bin/one", 5, 0), FIRST);
	CHECK_INT(t, file(&made, "/bin/two", 0, 7), FIRST + 1);
	for (int i = 0; i < 3; i++)
		CHECK_INT(t, file(&made, "/bin/two", 0, 7), FIRST + 1);
	made_recording_read(&made);
	REQUIRE(t, told_count(&made, EVENT_MODULE) == 3);
	module = &told(&made, EVENT_MODULE, 1)->event.module;
	CHECK(t, module->id == FIRST && module->kind == MODULE_FILE && module->device == 8 && module->inode == 5);
	CHECK(t, module->path.length == 8 && !memcmp(module->path.bytes, "/bin/one", 8) && !module->build_id.length);
	module = &told(&made, EVENT_MODULE, 2)->event.module;
	CHECK(t, module->id == FIRST + 1 && module->build_id.length == 20 && module->build_id.bytes[19] == 7);
	CHECK_INT(t, module_table_untracked(made.recording.modules), 0);
	made_recording_close(&made);
}

/* One path may have been two files, and one file may be at two paths. */
static void what_differs_in_anything_is_another(struct test *t)
{
	struct made_recording made;
	uint32_t numbers[6];

	made_recording_open(&made, 1);
	numbers[0] = file(&made, "/bin/one", 5, 0);
	numbers[1] = file(&made, "/bin/one", 6, 0);
	numbers[2] = file(&made, "/bin/other", 5, 0);
	numbers[3] = file(&made, "/bin/one", 0, 9);
	numbers[4] = file(&made, "/bin/one", 0, 10);
	numbers[5] = file(&made, "/bin/other", 0, 9); /* where the file with that build-id was last found */
	for (uint32_t i = 0; i < 6; i++)
		CHECK_INT(t, numbers[i], FIRST + i);
	CHECK_INT(t, file(&made, "/bin/one", 5, 0), numbers[0]);
	CHECK_INT(t, file(&made, "/bin/one", 0, 9), numbers[3]);
	CHECK_INT(t, file(&made, "/bin/other", 0, 9), numbers[5]);
	made_recording_close(&made);
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

static void what_is_no_file_has_one_number(struct test *t)
{
	struct made_recording made;
	uint32_t vdso;

	made_recording_open(&made, 1);
	vdso = module_table_special(made.recording.modules, MODULE_VDSO);
	CHECK_INT(t, vdso, FIRST);
	CHECK_INT(t, module_table_special(made.recording.modules, MODULE_VDSO), vdso);
	CHECK_INT(t, module_table_special(made.recording.modules, MODULE_ANONYMOUS), made.anonymous);
	CHECK_INT(t, module_table_new_id(made.recording.modules), FIRST + 1);
	CHECK_INT(t, file(&made, "/bin/one", 5, 0), FIRST + 2);
	made_recording_read(&made);
	CHECK_INT(t, told_count(&made, EVENT_MODULE), 3);
	CHECK_INT(t, told(&made, EVENT_MODULE, 0)->event.module.kind, MODULE_ANONYMOUS);
	CHECK_INT(t, told(&made, EVENT_MODULE, 1)->event.module.kind, MODULE_VDSO);
	CHECK(t, !module_table_find(made.recording.modules, FIRST + 1)); /* a foreign number */
	made_recording_close(&made);
}

/* If learned later, it is written again with the same number; and later mappings with it mean that file. */
static void a_build_id_may_come_later(struct test *t)
{
	struct build_id build_id = {.length = 20}, other = {.length = 20};
	struct made_recording made;
	uint32_t number;

	memset(build_id.bytes, 9, sizeof(build_id.bytes));
	made_recording_open(&made, 1);
	number = file(&made, "/bin/one", 5, 0);
	CHECK_INT(t, module_table_set_build_id(made.recording.modules, number, &build_id), 0);
	CHECK_INT(t, module_table_set_build_id(made.recording.modules, number, &other), 0); /* the first one stays */
	CHECK_INT(t, module_table_set_build_id(made.recording.modules, 999, &build_id), 0); /* unused */
	CHECK_INT(t, file(&made, "/bin/one", 0, 9), number);
	CHECK_INT(t, file(&made, "/bin/one", 5, 0), number);
	CHECK_INT(t, module_table_find(made.recording.modules, number)->build_id.bytes[0], 9);
	made_recording_read(&made);
	REQUIRE(t, told_count(&made, EVENT_MODULE) == 3);
	CHECK_INT(t, told(&made, EVENT_MODULE, 2)->event.module.id, number);
	CHECK_INT(t, told(&made, EVENT_MODULE, 2)->event.module.build_id.length, 20);
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

static void a_log_that_fails_has_no_modules(struct test *t)
{
	struct made_recording made;

	made_recording_open(&made, 1);
	made.io.call = CALL_WRITEV;
	made.io.error = -EIO;
	made.io.nth = made.io.counts[CALL_WRITEV] + 1;
	CHECK_INT(t, event_log_flush(made.recording.log), -EIO);
	CHECK_INT(t, file(&made, "/bin/one", 5, 0), 0);
	CHECK_INT(t, made.recording.stop, RECORDING_FAILED);
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

TEST_MAIN(TEST(a_file_is_told_once), TEST(what_differs_in_anything_is_another),
	  TEST(what_is_no_file_has_one_number), TEST(a_generation_is_a_file), TEST(what_nothing_names_is_forgotten),
	  TEST(a_build_id_may_come_later), TEST(what_does_not_fit_is_counted), TEST(one_user_leaves_room_for_others),
	  TEST(a_log_that_fails_has_no_modules))
