/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A trace of a few hundred KiB with bombs: what they unpack to is bounded in sum, and the report says so. */
#include "report/resolve/module/modules.h"

#include "report/profile/tables/profile_internal.h"
#include "tests/test.h"
#include "tests/unit/report/account.h"
#include "tests/unit/report/made_profile.h"

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

TEST_MAIN(TEST(bombs_share_a_limit), TEST(what_fits_is_not_mentioned))
