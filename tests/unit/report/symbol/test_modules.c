/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which files may name a module, what is known of functions without names, and how much is unpacked of all modules. */
#include "report/profile/profile_internal.h"
#include "report/symbol/modules.h"
#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

enum { TGID = 7 };

static void sample(struct made_trace *trace, uint64_t time, uint64_t address)
{
	uint64_t user[] = {address, 0};

	made_trace_sample(trace, &(struct made_sample){.time = time, .tgid = TGID, .tid = TGID,
						       .comm = "x", .user = user});
}

/* The profile of a sample in this program, which had another build-id then; files are looked for below `symfs`. */
static struct profile *of_this_program(struct scratch *scratch, const char *program, const char *symfs)
{
	const struct profile_names names = {.symfs = symfs};
	struct made_trace *trace = made_profile_begin(scratch);
	const char *path = scratch->path;

	made_trace_module(trace, 1, MODULE_FILE, program, "0123456789abcdef0123456789abcdef01234567");
	made_trace_map(trace, 10, TGID, 0x10000, 0x10000, 0, 1, MAPPING_INITIAL);
	sample(trace, 2000, 0x18000);
	made_trace_end(trace);
	made_trace_check(profile_create(&path, 1, &everything, &names, &scratch->profile), "profile");
	return scratch->profile;
}

/* Another build-id is another file; and nothing is looked for where it was not allowed. */
static void files_are_opened_as_allowed(struct test *t)
{
	static const struct {
		const char *symfs, *note;
	} cases[] = {{"", "' was refused"}, {NULL, "no file with its build-id"}, {"/nonexistent", "no file with its build-id"}};
	char program[256] = "";

	REQUIRE(t, readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scratch scratch;
		struct profile *profile = of_this_program(&scratch, program, cases[i].symfs);
		const struct profile_entry *entries;
		size_t count;

		REQUIRE(t, profile_entries(profile, &entries) == 1);
		CHECK_STR(t, profile_symbol(profile, profile_nodes(profile, &count)[entries[0].node].frame)->name, NULL);
		test_check(t, account_has(profile, cases[i].note, NULL), "case %zu", i);
		end(&scratch);
	}
}

/* --- functions without a name --- */

static const struct profile_symbol *symbol_of(struct profile *profile, uint64_t address)
{
	static const struct profile_symbol none;
	size_t count = 0;
	const struct profile_frame *frames = profile ? profile_frames(profile, &count) : NULL;

	for (; count > 0; count--)
		if (frames[count - 1].run_time_address == address)
			return profile_symbol(profile, (uint32_t)count - 1);
	return &none;
}

/* A function that has no name in the trace is known by its start; named parts of it have their names. */
static void groups_functions_without_names(struct test *t)
{
	static const struct event_segment segment = {.file_offset = 0, .address = 0x400000,
						     .file_size = 0x3000, .flags = 5};
	static const struct event_symbol symbols[] = {
		{.address = 0x401000, .size = 0x100, .name = {"", 0}},
		{.address = 0x401100, .size = 0x40, .name = {"named", 5}},
		{.address = 0x401110, .size = 0x100, .name = {"", 0}},
	};
	struct scratch scratch;
	struct made_trace *trace = made_profile_begin(&scratch);
	struct profile *profile;

	made_trace_module(trace, 1, MODULE_FILE, "/nonexistent/program", "0123456789abcdef0123456789abcdef01234567");
	made_trace_map(trace, 10, TGID, 0x10000, 0x3000, 0, 1, MAPPING_INITIAL);
	for (uint64_t i = 0; i < 4; i++)
		sample(trace, 2000 + i, 0x11000 + i * 0xc8);
	made_trace_embed(trace, 1, &segment, 1, symbols, 3);
	profile = finish(&scratch, trace, &everything);
	CHECK(t, symbol_of(profile, 0x11000)->placed && !symbol_of(profile, 0x11000)->name);
	CHECK_INT(t, symbol_of(profile, 0x110c8)->start, 0x401000);
	CHECK_INT(t, symbol_of(profile, 0x110c8)->offset, 0xc8);
	CHECK_INT(t, symbol_of(profile, 0x11190)->start, 0x401110);
	CHECK(t, !symbol_of(profile, 0x11258)->placed && !symbol_of(profile, 0x11258)->name);
	CHECK(t, account_has(profile, "with an unnamed leaf", NULL));
	end(&scratch);
}

/* --- module budget --- */

/* A trace of a few hundred KiB with bombs: what they unpack to is bounded in sum, and the report says so. */

enum { MODULES = 20, BOMB_MB = 64 };

/* `megabytes` of zeros, packed by xz; the caller frees it. */
static uint8_t *pack(unsigned int megabytes, size_t *ret_size)
{
	char command[96];
	uint8_t *bytes = malloc(1 << 20);
	FILE *pipe;

	(void)snprintf(command, sizeof(command), "head -c %uM /dev/zero | xz -1 -T1", megabytes);
	pipe = popen(command, "r");
	if (!bytes || !pipe)
		abort();
	*ret_size = fread(bytes, 1, 1 << 20, pipe);
	if (pclose(pipe) != 0)
		abort();
	return bytes;
}

/* One sample in each of the modules. */
static void make(struct scratch *scratch, unsigned int megabytes, uint32_t modules)
{
	static const struct event_segment segment = {.file_size = 0x1000, .memory_size = 0x1000, .flags = 5};
	struct made_trace *trace = made_profile_begin(scratch);
	size_t size;
	uint8_t *bytes = pack(megabytes, &size);

	for (uint32_t i = 1; i <= modules; i++) {
		char path[32], id[16];
		const struct event_embed_unwind piece = {.module = i, .section = UNWIND_MINI_DEBUG_INFO,
							 .size = (uint32_t)size,
							 .bytes = {(const char *)bytes, (uint32_t)size}};

		(void)snprintf(path, sizeof(path), "/usr/bin/%u", i);
		(void)snprintf(id, sizeof(id), "%08x", i);
		made_trace_module(trace, i, MODULE_FILE, path, id);
		made_trace_map(trace, 10, i, 0x1000, 0x1000, 0, i, MAPPING_INITIAL);
		made_trace_sample(trace, &(struct made_sample){.time = 100 + i, .tgid = i, .tid = i, .comm = "c",
							       .user = (uint64_t[]){0x1010, 0}});
		made_trace_embed(trace, i, &segment, 1, NULL, 0);
		made_trace_check(event_log_add_embed_unwind(trace->log, &piece), "piece");
	}
	free(bytes);
	made_trace_end(trace);
}

static uint64_t left_of(struct profile *profile)
{
	struct modules *modules = &profile->modules;

	return modules->budgets.count ? modules->budgets.items[0].left : UINT64_MAX;
}

static void name_all(struct profile *profile)
{
	size_t count;

	(void)profile_frames(profile, &count);
	for (size_t i = 0; i < count; i++)
		(void)profile_symbol(profile, (uint32_t)i);
}

static void bombs_share_a_limit(struct test *t)
{
	struct scratch scratch;
	bool lost;

	make(&scratch, BOMB_MB, MODULES);
	REQUIRE(t, !load(&scratch, &everything));
	name_all(scratch.profile);
	CHECK_INT(t, left_of(scratch.profile), 0);
	CHECK(t, account_has(scratch.profile, " modules left out: unpacked they are larger", &lost));
	CHECK(t, lost);
	end(&scratch);
}

TEST_MAIN(TEST(files_are_opened_as_allowed),
	  TEST(groups_functions_without_names), TEST(bombs_share_a_limit))
