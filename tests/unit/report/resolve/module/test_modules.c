/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From a process's address to a name through local files. The oracles: the kernel's /proc/self/maps
 * says what is mapped where, the dynamic linker where functions are, readelf which build-id a file
 * has.
 */
#include <dlfcn.h>
#include <stdbool.h>

#include "report/profile/seam/profile.h"
#include "report/profile/tables/profile_internal.h"
#include "report/resolve/module/modules.h"
#include "tests/make_events.h"
#include "tests/test.h"
#include "tests/unit/report/account.h"
#include "tests/unit/report/made_profile.h"

enum { MODULES_MAX = 32, TGID = 7 };

struct mapped_file {
	char path[256];
	char build_id[129];
};

struct self { /* this process, as in a trace */
	struct mapped_file files[MODULES_MAX];
	size_t count;
};

/* Not static, so that its name is in the symbol table whatever the compiler does. */
__attribute__((noinline)) uint64_t function_of_this_test(uint64_t value);
__attribute__((noinline)) uint64_t function_of_this_test(uint64_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value * 3;
}

static void read_build_id(struct mapped_file *file)
{
	char command[512];
	FILE *pipe;

	snprintf(command, sizeof(command), "readelf -n '%s' 2>/dev/null | awk '/Build ID/ { print $3 }'", file->path);
	pipe = popen(command, "r");
	if (pipe && !fgets(file->build_id, sizeof(file->build_id), pipe))
		file->build_id[0] = '\0';
	file->build_id[strcspn(file->build_id, "\n")] = '\0';
	if (pipe)
		pclose(pipe);
}

static uint32_t find_file(struct self *self, const char *path)
{
	for (size_t i = 0; i < self->count; i++)
		if (!strcmp(self->files[i].path, path))
			return (uint32_t)i + 1;
	if (self->count == MODULES_MAX)
		return 0;
	snprintf(self->files[self->count].path, sizeof(self->files[0].path), "%s", path);
	read_build_id(&self->files[self->count]);
	return (uint32_t)++self->count;
}

/* The executable mappings of this process, as records; the caller adds the modules when all are known. */
static void add_mappings(struct made_trace *trace, struct self *self)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], path[256], rights[8];

	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long long start, end, offset;

		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %255s", &start, &end, rights, &offset, path) == 5 &&
		    rights[2] == 'x' && path[0] == '/')
			made_trace_map(trace, 10, TGID, start, end - start, offset,
				       find_file(self, path), MAPPING_INITIAL);
	}
	if (maps)
		fclose(maps);
}

static void sample(struct made_trace *trace, uint64_t time, uint64_t address)
{
	uint64_t user[] = {address, 0};

	made_trace_sample(trace, &(struct made_sample){.time = time, .tgid = TGID, .tid = TGID,
						       .comm = "x", .user = user});
}

/* A trace of this process with samples in a function of its own and in one of libc. */
static void make_trace(struct self *self, const char *wrong_build_id, char path[32])
{
	struct made_trace *trace;

	memcpy(path, "/tmp/rwalker-test-XXXXXX", 25);
	close(mkstemp(path));
	trace = made_trace_begin(path);
	made_trace_source(trace, &(struct event_source){.id = 1, .kind = SOURCE_CPU, .start = 1}, "cpu-clock");
	*self = (struct self){0};
	add_mappings(trace, self);
	for (size_t i = 0; i < self->count; i++)
		made_trace_module(trace, (uint32_t)i + 1, MODULE_FILE, self->files[i].path,
				  wrong_build_id ? wrong_build_id : self->files[i].build_id);
	sample(trace, 100, (uintptr_t)function_of_this_test + 1);
	sample(trace, 200, (uintptr_t)dlsym(RTLD_DEFAULT, "lfind") + 2);
	made_trace_end(trace);
}

static const struct profile_symbol *leaf(struct profile *profile, size_t entry)
{
	static const struct profile_symbol none;
	const struct profile_entry *entries;
	size_t count;

	if (profile_entries(profile, &entries) <= entry)
		return &none;
	return profile_symbol(profile, profile_nodes(profile, &count)[entries[entry].node].frame);
}

static struct profile *load_self(struct test *t, const char *path, const char *symfs)
{
	const struct profile_names names = {.symfs = symfs};
	struct profile *profile = NULL;

	CHECK(t, profile_create(&path, 1, &everything, &names, &profile) == 0);
	return profile;
}

static void refuses_files_with_another_build_id(struct test *t)
{
	struct profile *profile;
	struct self self;
	char path[32], line[512];

	make_trace(&self, "0123456789abcdef0123456789abcdef01234567", path);
	profile = load_self(t, path, "");
	unlink(path);
	REQUIRE(t, profile != NULL);
	CHECK_STR(t, leaf(profile, 0)->name, NULL);
	snprintf(line, sizeof(line), "'%s' was refused", self.files[0].path);
	CHECK(t, account_has(profile, line, NULL));
	profile_destroy(profile);
}

static void opens_nothing_it_was_not_allowed(struct test *t)
{
	static const char *const symfs[] = {NULL, "/nonexistent"};
	struct self self;
	char path[32];

	make_trace(&self, NULL, path);
	for (size_t i = 0; i < 2; i++) {
		struct profile *profile = load_self(t, path, symfs[i]);

		REQUIRE(t, profile != NULL);
		CHECK_STR(t, leaf(profile, 0)->name, NULL);
		CHECK(t, account_has(profile, "no file with its build-id", NULL));
		profile_destroy(profile);
	}
	unlink(path);
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
	struct made_trace *trace;
	struct profile *profile;
	char path[] = "/tmp/rwalker-test-XXXXXX";

	close(mkstemp(path));
	trace = made_trace_begin(path);
	made_trace_source(trace, &(struct event_source){.id = 1, .kind = SOURCE_CPU, .start = 1}, "cpu-clock");
	made_trace_module(trace, 1, MODULE_FILE, "/nonexistent/program", "0123456789abcdef0123456789abcdef01234567");
	made_trace_map(trace, 10, TGID, 0x10000, 0x3000, 0, 1, MAPPING_INITIAL);
	for (uint64_t i = 0; i < 4; i++)
		sample(trace, 100 + i, 0x11000 + i * 0xc8);
	made_trace_embed(trace, 1, &segment, 1, symbols, 3);
	made_trace_end(trace);
	profile = load_self(t, path, NULL);
	unlink(path);
	CHECK(t, symbol_of(profile, 0x11000)->placed && !symbol_of(profile, 0x11000)->name);
	CHECK_INT(t, symbol_of(profile, 0x110c8)->start, 0x401000);
	CHECK_INT(t, symbol_of(profile, 0x110c8)->offset, 0xc8);
	CHECK_INT(t, symbol_of(profile, 0x11190)->start, 0x401110);
	CHECK(t, !symbol_of(profile, 0x11258)->placed && !symbol_of(profile, 0x11258)->name);
	CHECK(t, account_has(profile, "with an unnamed leaf", NULL));
	profile_destroy(profile);
}

/* --- module budget --- */

/* A trace of a few hundred KiB with bombs: what they unpack to is bounded in sum, and the report says so. */

enum { MODULES = 20, BOMB_MB = 64, SMALL_MB = 1, BUDGET_FREE = 16 << 20 };

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

/* Not even ELF, but not too much. */
static void what_fits_is_not_mentioned(struct test *t)
{
	struct scratch scratch;
	bool lost;

	make(&scratch, SMALL_MB, 4);
	REQUIRE(t, !load(&scratch, &everything));
	name_all(scratch.profile);
	CHECK(t, left_of(scratch.profile) < BUDGET_FREE + (1 << 20));
	CHECK(t, left_of(scratch.profile) > BUDGET_FREE - (5 << 20));
	CHECK(t, !account_has(scratch.profile, "left out", &lost));
	CHECK(t, !lost);
	end(&scratch);
}

TEST_MAIN(TEST(refuses_files_with_another_build_id), TEST(opens_nothing_it_was_not_allowed),
	  TEST(groups_functions_without_names), TEST(bombs_share_a_limit),
	  TEST(what_fits_is_not_mentioned))
