/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Code that a trace brings: what is in it is found, and nothing else. */
#include "report/resolve/module/module_code.h"

#include "common/byte_buffer.h"
#include "report/profile/tables/profile_internal.h"
#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

enum { WINDOWS = 100, ENTRY = 0x1234, SPAN = 0x4000 };

/* What the trace says about each byte of the module; -1: nothing. */
struct truth {
	int bytes[SPAN];
	uint64_t starts[WINDOWS], ends[WINDOWS];
};

/* Windows of 1 to 13 bytes, some without a gap between them. */
static void make_code(struct byte_buffer *code, struct truth *truth)
{
	uint64_t end = 0;

	byte_buffer_varint(code, ENTRY);
	memset(truth->bytes, 0xff, sizeof(truth->bytes));
	for (unsigned int i = 0; i < WINDOWS; i++) {
		const uint64_t gap = i % 5 ? i * 37 % 64 : 0, size = 1 + i * 7 % 13;

		byte_buffer_varint(code, gap);
		byte_buffer_varint(code, size);
		truth->starts[i] = end + gap;
		truth->ends[i] = end = end + gap + size;
		for (uint64_t at = truth->starts[i]; at < end; at++) {
			truth->bytes[at] = (uint8_t)(at * 31 + i);
			byte_buffer_uint(code, (uint8_t)truth->bytes[at], 1);
		}
	}
}

/* A module with this code. */
static struct profile *make(struct scratch *scratch, const struct byte_buffer *code)
{
	static const struct event_segment segment = {.file_size = SPAN, .memory_size = SPAN, .flags = 5};
	static const struct event_symbol symbols[] = {{0x1000, 0x40, {"plain", 5}}, {0x1100, 0x40, {"_start", 6}},
						      {ENTRY, 0x40, {"begin", 5}}};
	struct made_trace *trace = made_profile_begin(scratch);
	const struct event_embed_unwind piece = {.module = 1, .section = UNWIND_CODE, .size = (uint32_t)code->used,
						 .bytes = {(const char *)code->bytes, (uint32_t)code->used}};

	made_trace_module(trace, 1, MODULE_FILE, "/usr/bin/made", "00112233");
	made_trace_map(trace, 10, 7, 0, SPAN, 0, 1, MAPPING_INITIAL);
	made_trace_sample(trace, &(struct made_sample){.time = 100, .tgid = 7, .tid = 7, .comm = "c",
						       .user = (uint64_t[]){0x10, 0}});
	made_trace_embed(trace, 1, &segment, 1, symbols, sizeof(symbols) / sizeof(symbols[0]));
	made_trace_check(event_log_add_embed_unwind(trace->log, &piece), "piece");
	made_trace_end(trace);
	return load(scratch, &everything) < 0 ? NULL : scratch->profile;
}

static uint32_t number_of(const struct modules *modules)
{
	for (uint32_t i = 1; i < modules->items.count; i++)
		if (!strcmp(modules->items.items[i]->path, "/usr/bin/made"))
			return i;
	return 0;
}

/* Both a read of the bytes and the windows agree with the truth: all of the bytes are in one window. */
static bool is_right(struct profile *profile, const struct truth *truth, uint64_t address, size_t size)
{
	uint8_t bytes[16];
	int r = module_code_read(&profile->modules, number_of(&profile->modules), address, size, bytes);
	bool within = false;

	for (size_t i = 0; i < WINDOWS; i++)
		within |= address >= truth->starts[i] && address + size <= truth->ends[i];
	for (size_t i = 0; i < size && r > 0; i++)
		if (bytes[i] != truth->bytes[address + i])
			return false;
	return r == within;
}

static void what_is_there_is_found(struct test *t)
{
	uint8_t room[4096];
	struct byte_buffer code = {.bytes = room, .room = sizeof(room)};
	struct scratch scratch;
	struct truth truth;
	struct profile *profile;
	uint64_t wrong = 0;

	make_code(&code, &truth);
	profile = make(&scratch, &code);
	REQUIRE(t, profile && !code.full && truth.ends[WINDOWS - 1] + 16 < SPAN);
	for (uint64_t address = 0; address < truth.ends[WINDOWS - 1] + 3; address++)
		for (size_t size = 1; size <= 14; size++)
			wrong += !is_right(profile, &truth, address, size);
	CHECK_INT(t, wrong, 0);
	end(&scratch);
}

/* What follows an entry without bytes, or one that is cut, is not read; what is before it is. */
static void a_bad_entry_ends_it(struct test *t)
{
	static const uint8_t bad[][2] = {{0, 0}, {0, 0x7f}, {0, 0x80}};
	uint8_t byte;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint8_t room[16];
		struct byte_buffer code = {.bytes = room, .room = sizeof(room)};
		struct scratch scratch;
		struct profile *profile;

		byte_buffer_bytes(&code, "\x00\x10\x01\xaa", 4); /* at 0x10 */
		byte_buffer_bytes(&code, bad[i], 2);
		byte_buffer_bytes(&code, "\x00\x01\xbb", 3);
		profile = make(&scratch, &code);
		REQUIRE(t, profile);
		CHECK_INT(t, module_code_read(&profile->modules, number_of(&profile->modules), 0x10, 1, &byte), 1);
		CHECK_INT(t, byte, 0xaa);
		CHECK_INT(t, module_code_read(&profile->modules, number_of(&profile->modules), 0x11, 1, &byte), 0);
		end(&scratch);
		}
}

/* A process begins in _start, or in whatever function is at the file's entry point. */
static void the_entry_is_first(struct test *t)
{
	static const struct {
		uint64_t address, start;
		enum unwind_named_kind kind;
	} cases[] = {
		{0x1000, 0x1000, NAMED_PLAIN}, {0x1104, 0x1100, NAMED_FIRST}, {ENTRY, ENTRY, NAMED_FIRST},
		{ENTRY + 0x3f, ENTRY, NAMED_FIRST},
	};
	uint8_t room[4096];
	struct byte_buffer code = {.bytes = room, .room = sizeof(room)};
	struct unwind_named named;
	struct profile *profile;
	struct scratch scratch;
	struct truth truth;

	make_code(&code, &truth);
	profile = make(&scratch, &code);
	REQUIRE(t, profile);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint32_t module = number_of(&profile->modules);

		REQUIRE(t, module_code_name(&profile->modules, module, cases[i].address, &named) == 1);
		CHECK_INT(t, named.start, cases[i].start);
		CHECK_INT(t, named.kind, cases[i].kind);
	}
	end(&scratch);
}

TEST_MAIN(TEST(what_is_there_is_found), TEST(a_bad_entry_ends_it), TEST(the_entry_is_first))
