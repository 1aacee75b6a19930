/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * FORMAT.md and the headers must agree: every offset, number, limit and field, in both directions
 * if there is a table to go through. And its worked example must be the trace that it claims to be.
 */
#include <stdio.h>
#include <stdlib.h>

#include "format/crc32c.h"
#include "format/event_layout.h"
#include "format/limits.h"
#include "format/stack_mark.h"
#include "format/trace.h"
#include "format/trace_reader.h"
#include "tests/fault/memory_io.h"
#include "tests/test.h"

static const char PATH[] = "format/FORMAT.md";

static char *read_text(struct test *t)
{
	FILE *file = fopen(PATH, "r");
	char *text = calloc(1, 1 << 20);

	if (!CHECK(t, file && text && fread(text, 1, (1 << 20) - 1, file) > 10000))
		abort();
	fclose(file);
	return text;
}

/* --- constants: `NAME` value, and rows of the form | `NAME` | value | ------------------------------------------------ */

#define CONSTANT(name) {#name, name}
#define LISTED(name, number, text) CONSTANT(name),
static const struct constant {
	const char *name;
	long long value;
} constants[] = {
	CONSTANT(RWK_CHUNK_STATE), CONSTANT(RWK_CHUNK_EVENTS), CONSTANT(RWK_CHUNK_EMBED),
	CONSTANT(RWK_CHUNK_END), CONSTANT(RWK_CHUNK_SENSITIVE),
	CONSTANT(RWK_END_CLEAN),
	CONSTANT(RWK_END_SIGNAL), CONSTANT(RWK_END_NO_SPACE),
	CONSTANT(RWK_END_IO_ERROR), CONSTANT(RWK_END_SIZE_LIMIT), CONSTANT(RWK_END_PIPE),
	CONSTANT(RWK_MAX_FILE_HEADER), CONSTANT(RWK_MAX_RAW_CHUNK), CONSTANT(RWK_MAX_STORED_CHUNK),
	CONSTANT(RWK_MAX_STRING), CONSTANT(RWK_MAX_COMM), CONSTANT(RWK_MAX_BUILD_ID),
	CONSTANT(RWK_MAX_FRAMES),
	CONSTANT(RWK_MAX_CPUS), CONSTANT(RWK_MAX_SEGMENTS), CONSTANT(RWK_MAX_MODULES),
	CONSTANT(RWK_MAX_SOURCES),
	CONSTANT(RWK_MAX_PROBES), CONSTANT(RWK_MAX_LEVELS), CONSTANT(RWK_MAX_MARKS),
	CONSTANT(MARK_CLEAN), CONSTANT(MARK_TRUNCATED), CONSTANT(MARK_NO_CFI), CONSTANT(MARK_BAD_RETURN),
	CONSTANT(MARK_SWITCHED), CONSTANT(MARK_SWITCHED_CONTINUED),
	CONSTANT(MARK_NO_MEMORY), CONSTANT(MARK_CALLER_UNKNOWN), CONSTANT(MARK_LINK),
	CONSTANT(MARK_WORD), CONSTANT(MARK_SAVED), CONSTANT(MARK_FRAME),
	CONSTANT(MARK_TOO_DEEP), CONSTANT(MARK_CONTINUED), CONSTANT(MARK_TAIL),
	CONSTANT(MARK_EXACT),
	CONSTANT(RWK_TARGET_RAW_CHUNK), CONSTANT(RWK_TARGET_CHUNK_MS),
	CONSTANT(SOURCE_CPU), CONSTANT(SOURCE_OFFCPU), CONSTANT(SOURCE_WAKERS),
	CONSTANT(SOURCE_TRACEPOINT),
	CONSTANT(SOURCE_KFUNC), CONSTANT(SOURCE_TASKS), CONSTANT(WEIGHT_COUNT), CONSTANT(WEIGHT_NS),
	CONSTANT(WEIGHT_CYCLES), CONSTANT(MODULE_FILE), CONSTANT(MODULE_KERNEL),
	CONSTANT(MODULE_KERNEL_MODULE), CONSTANT(MODULE_BPF),
	CONSTANT(MODULE_KERNEL_OTHER), CONSTANT(MODULE_VDSO), CONSTANT(MODULE_ANONYMOUS),
	CONSTANT(LOSS_RING_FULL), CONSTANT(LOSS_NO_TASK_ENTRY), CONSTANT(LOSS_RECURSION),
	CONSTANT(LOSS_THROTTLED),
	CONSTANT(LOSS_NESTED), CONSTANT(LOSS_SIDEBAND), CONSTANT(LOSS_OWN),
	CONSTANT(LOSS_FILTERED), CONSTANT(LOSS_IDLE), CONSTANT(LOSS_KERNEL_STACK),
	CONSTANT(LOSS_ENCODER), CONSTANT(LOSS_RECORDED),
	CONSTANT(LOSS_SEEN), CONSTANT(LOSS_NOT_DELIVERED), CONSTANT(LOSS_USER_STACK),
	CONSTANT(LOSS_TRUNCATED),
	CONSTANT(LOSS_HITS), CONSTANT(LOSS_MODULES), CONSTANT(LOSS_FILES), CONSTANT(LOSS_BRIEF),
	CONSTANT(LOSS_UNWRITTEN), CONSTANT(LOSS_RATE_LIMITED), CONSTANT(LOSS_SNAPSHOT),
	CONSTANT(LOSS_USER_ASTRAY),
	CONSTANT(LOSS_USER_UNKNOWN), CONSTANT(LOSS_LOOK), CONSTANT(SAMPLE_HAS_PROBE),
	CONSTANT(SAMPLE_HAS_SNAPSHOT), CONSTANT(RWK_CHUNK_SNAPSHOTS),
	CONSTANT(WALK_TASK_HAS_USER), CONSTANT(WALK_TASK_USER_MISSING), CONSTANT(WALK_TASK_HAS_SNAPSHOT),
	CONSTANT(WALK_TASK_USER_TRUNCATED), CONSTANT(WALK_TASK_HAS_CALL), CONSTANT(WALK_TASK_HAS_ASKED),
	CONSTANT(WALK_TASK_HAS_OWNER), CONSTANT(WALK_TASK_FOR_READING), CONSTANT(WALK_TASK_OWNER_READS),
	CONSTANT(WAIT_HAS_SNAPSHOT), CONSTANT(SNAPSHOT_CUT),
	CONSTANT(SNAPSHOT_UNMAPPED), CONSTANT(UNWIND_EH_FRAME), CONSTANT(UNWIND_DEBUG_FRAME),
	CONSTANT(UNWIND_MINI_DEBUG_INFO),
	CONSTANT(RWK_TARGET_RAW_SNAPSHOTS),
	CONSTANT(RWK_MAX_REGISTERS), CONSTANT(RWK_MAX_SNAPSHOT), CONSTANT(RWK_MAX_SNAPSHOT_CODED),
	CONSTANT(RWK_MAX_SNAPSHOT_CHAIN),
	CONSTANT(RWK_MAX_UNWIND_SECTION), CONSTANT(RWK_MAX_UNWIND_PIECE),
	CONSTANT(HOOK_RAW_TRACEPOINT), CONSTANT(HOOK_TRACEPOINT), CONSTANT(HOOK_FENTRY),
	CONSTANT(HOOK_KPROBE),
	CONSTANT(HOOK_KPROBE_MULTI), CONSTANT(UNSURE_SILENT), CONSTANT(UNSURE_LOST),
	CONSTANT(UNSURE_AWAY),
	CONSTANT(BUDGET_WHOLE), CONSTANT(BUDGET_COARSER), CONSTANT(BUDGET_PAUSED),
	CONSTANT(SAMPLE_HAS_KERNEL), CONSTANT(SAMPLE_HAS_USER), CONSTANT(SAMPLE_HAS_PERIOD),
	CONSTANT(SAMPLE_KERNEL_TRUNCATED), CONSTANT(SAMPLE_USER_TRUNCATED),
	CONSTANT(SAMPLE_USER_MISSING),
	CONSTANT(WALK_TASK_ON_CPU), CONSTANT(WALK_TASK_IOWAIT), CONSTANT(WALK_TASK_QUEUED),
	CONSTANT(WALK_TASK_STOPPED), CONSTANT(WALK_TASK_TRACED), CONSTANT(WALK_TASK_KERNEL_TRUNCATED),
	CONSTANT(WAIT_HAS_KERNEL), CONSTANT(WAIT_HAS_USER), CONSTANT(WAIT_HAS_RUN_QUEUE), CONSTANT(WAIT_HAS_THROTTLED),
	CONSTANT(WAIT_HAS_WAKER),
	CONSTANT(WAIT_MOVED), CONSTANT(WAIT_USER_MISSING), CONSTANT(WAIT_USER_LATER),
	CONSTANT(WAIT_IOWAIT),
	CONSTANT(WAIT_BEGAN_BEFORE), CONSTANT(WAIT_OUT_LATEST),
	CONSTANT(WAIT_NOT_ENDED),
	CONSTANT(WAIT_KERNEL_TRUNCATED),
	CONSTANT(WAIT_USER_TRUNCATED), WAIT_CLASS_LIST(LISTED) WAKER_CONTEXT_LIST(LISTED)
	CONSTANT(EMBED_FULL), CONSTANT(EMBED_MIN), CONSTANT(EMBED_NO_FILE), CONSTANT(EMBED_CHANGED),
	CONSTANT(EMBED_UNREADABLE), CONSTANT(EMBED_NO_ROOM), CONSTANT(EMBED_REFUSED), CONSTANT(EMBED_LATE),
	CONSTANT(RWK_CHUNK_NAMES), CONSTANT(RWK_MAX_OBJECTS), CONSTANT(RWK_MAX_ADDRESS),
	CONSTANT(WAIT_HAS_CALL), CONSTANT(WAIT_HAS_ASKED), CONSTANT(WAIT_HAS_OWNER),
	CONSTANT(WAIT_HAS_READY), CONSTANT(WAIT_FOR_READING), CONSTANT(WAIT_OWNER_READS),
	CONSTANT(WAIT_OWNER_AT_END), CONSTANT(WAIT_OWNER_CHANGED),
	CONSTANT(WAIT_IN_CALL), CONSTANT(WAIT_IN_COMPAT_CALL),
	CONSTANT(WAIT_IN_FAULT), CONSTANT(WAIT_IN_KERNEL_THREAD), CONSTANT(WAIT_IN_IO_WORKER),
	CONSTANT(WAIT_IN_STOP),
	OBJECT_KIND_LIST(LISTED) LOCK_KIND_LIST(LISTED)
	CONSTANT(OBJECT_IN_HEAP), CONSTANT(OBJECT_IN_STACK), CONSTANT(OBJECT_IN_MEMORY), CONSTANT(OBJECT_IN_FILE),
	CONSTANT(OBJECT_IN_SHARED), CONSTANT(OBJECT_MMAP_LOCK), CONSTANT(OBJECT_DELETED), CONSTANT(OBJECT_CUT),
	CONSTANT(OBJECT_ABSTRACT),
	CONSTANT(CGROUP_INITIAL), CONSTANT(CGROUP_REMOVED),
	CONSTANT(USER_MISSING_KERNEL_THREAD), CONSTANT(USER_MISSING_FAULT), CONSTANT(USER_MISSING_EXITING),
	CONSTANT(USER_MISSING_CHANGED), CONSTANT(USER_MISSING_NO_ROOM), CONSTANT(USER_MISSING_BUSY),
	CONSTANT(USER_MISSING_RUNNING), CONSTANT(USER_MISSING_REFUSED), CONSTANT(USER_MISSING_UNSCHEDULED),
	CONSTANT(USER_MISSING_ABSENT), CONSTANT(USER_MISSING_SERVED),
};

static void every_number_is_the_headers(struct test *t)
{
	char *text = read_text(t);
	size_t rows = 0;

	for (char *place = text; (place = strchr(place, '`')); place++) {
		char name[64];
		long long value;
		const struct constant *found = NULL;

		if (sscanf(place, "`%63[A-Z_]` | %lld |", name, &value) != 2 && sscanf(place, "`%63[A-Z_]` %lld", name, &value) != 2)
			continue;
		for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++)
			if (!strcmp(constants[i].name, name))
				found = &constants[i];
		test_check(t, found && found->value == value,
			   "%s says %s is %lld; the headers say %lld", PATH, name, value,
			   found ? found->value : -1);
		rows++;
	}
	CHECK_INT(t, rows, sizeof(constants) / sizeof(*constants));
	free(text);
}

/* --- structs: rows of the form | offset | size | `field` | -------------------------------------------- */

#define MEMBER(record, member) {#member, offsetof(struct record, member), sizeof(((struct record *)0)->member)}
static const struct member {
	const char *name;
	size_t offset, size;
} members[] = {
	MEMBER(rwk_file_header, magic), MEMBER(rwk_file_header, version),
	MEMBER(rwk_file_header, header_size), MEMBER(rwk_file_header, incompatible),
	MEMBER(rwk_file_header, compatible), MEMBER(rwk_file_header, section_id), MEMBER(rwk_file_header, realtime),
	MEMBER(rwk_file_header, max_raw), MEMBER(rwk_file_header, crc),
	MEMBER(rwk_chunk_header, magic), MEMBER(rwk_chunk_header, type), MEMBER(rwk_chunk_header, codec),
	MEMBER(rwk_chunk_header, flags), MEMBER(rwk_chunk_header, stored_size), MEMBER(rwk_chunk_header, raw_size),
	MEMBER(rwk_chunk_header, sequence), MEMBER(rwk_chunk_header, first_time),
	MEMBER(rwk_chunk_header, last_time), MEMBER(rwk_chunk_header, payload_crc),
	MEMBER(rwk_chunk_header, header_crc),
	MEMBER(rwk_trailer, magic), MEMBER(rwk_trailer, chunk_count),
	MEMBER(rwk_trailer, end_reason), MEMBER(rwk_trailer, crc),
};

static void every_offset_is_the_headers(struct test *t)
{
	const size_t count = sizeof(members) / sizeof(*members);
	char *text = read_text(t);
	size_t rows = 0;

	for (char *row = text; (row = strstr(row, "\n| ")); row++) {
		size_t offset, size;
		char name[64];

		if (sscanf(row, "\n| %zu | %zu | `%63[a-z_]` |", &offset, &size, name) != 3)
			continue;
		test_check(t, rows < count && !strcmp(members[rows].name, name) && members[rows].offset == offset &&
				      members[rows].size == size,
			   "%s, %zuth field of a struct: %s at %zu, %zu bytes", PATH, rows + 1,
			   name, offset, size);
		rows++;
	}
	CHECK_INT(t, rows, count);
	free(text);
}

/* --- records: ### NAME (kind N), then rows of the form | field, field | type | ---------------------------------- */

static const char *type_sign(const struct event_field *field)
{
	static const char *const signs[] = {
		[FIELD_U32] = "u", [FIELD_U64] = "n", [FIELD_HEX] = "n", [FIELD_TIME] = "t", [FIELD_START] = "a",
		[FIELD_TASK] = "i", [FIELD_PAGES] = "p",
		[FIELD_TEXT] = "s", [FIELD_COMM] = "s", [FIELD_BYTES] = "b", [FIELD_OF_TASK] = "x",
		[FIELD_CLOCK] = "c", [FIELD_LENGTH] = "l", [FIELD_KERNEL] = "k", [FIELD_USER] = "k",
	};

	return signs[field->type];
}

/* "only with flag 8" in the row's remark, 0 if there is none. */
static uint32_t flag_of(const char *row)
{
	const char *end = strchr(row + 1, '\n'), *remark = strstr(row, "only with flag ");

	return remark && end && remark < end ? (uint32_t)strtoul(remark + strlen("only with flag "), NULL, 10) : 0;
}

/* Compares the rows from here to the next heading with the layout. */
static void check_fields(struct test *t, const char *row, const struct event_layout *layout)
{
	const struct event_field *field = layout->fields;
	const char *end = strstr(row, "\n#");

	row = strstr(row, "\n| field | type |");
	REQUIRE(t, row && row < end);
	row = strstr(row + 1, "\n|---");
	row = row ? strstr(row + 1, "\n") : NULL;
	for (; row && row[1] == '|' && field->type; row = strstr(row + 1, "\n")) {
		char names[160] = "", type[8] = "";
		size_t length;

		sscanf(row, "\n| %159[a-z_, ] | %7[a-z]", names, type);
		for (const char *name = names; field->type && *(name += strspn(name, ", ")); name += length, field++) {
			length = strcspn(name, ", ");
			test_check(t, length == strlen(field->name) && !memcmp(name, field->name, length) &&
				      !strcmp(type, type_sign(field)), "%s of %s: \"%s\", \"%s\"",
				   field->name, layout->name, name, type);
			CHECK_INT(t, field->only, flag_of(row));
		}
	}
	test_check(t, !field->type && row && row[1] != '|', "the fields of %s: not as many", layout->name);
}

static void every_record_is_the_layout_s(struct test *t)
{
	char *text = read_text(t);
	size_t found = 0, known = 0;

	for (char *heading = text; (heading = strstr(heading, "\n### ")); heading++) {
		const struct event_layout *layout;
		char name[32];
		unsigned int kind;

		if (sscanf(heading, "\n### %31[A-Z_] (kind %u)", name, &kind) != 2)
			continue;
		layout = event_layout_find(kind);
		if (!test_check(t, layout != NULL, "%s: kind %u", name, kind))
			continue;
		for (char *c = name; *c; c++)
			*c = *c == '_' ? '-' : (char)(*c + ('a' - 'A'));
		CHECK_STR(t, name, layout->name);
		check_fields(t, heading + 1, layout);
		found++;
	}
	for (unsigned int kind = 0; kind < 1000; kind++)
		known += event_layout_find(kind) != NULL;
	CHECK_INT(t, found, known);
	free(text);
}

/* --- the rest ------------------------------------------------------------------------------------------- */

static void the_version_is_the_header_s(struct test *t)
{
	char *text = read_text(t), row[64];

	snprintf(row, sizeof(row), "\n| 8 | 4 | `version` | %d:", RWK_VERSION);
	CHECK(t, strstr(text, row));
	free(text);
}

static void the_checksums_are_right(struct test *t)
{
	char *text = read_text(t), line[64];
	uint8_t bytes[32] = {0};

	snprintf(line, sizeof(line), "| `123456789` | 0x%08x |", crc32c(0, "123456789", 9));
	CHECK(t, strstr(text, line));
	snprintf(line, sizeof(line), "| 32 × 00 | 0x%08x |", crc32c(0, bytes, 32));
	CHECK(t, strstr(text, line));
	memset(bytes, 0xff, sizeof(bytes));
	snprintf(line, sizeof(line), "| 32 × ff | 0x%08x |", crc32c(0, bytes, 32));
	CHECK(t, strstr(text, line));
	free(text);
}

/* The hex dump's lines: offset, two spaces, sixteen bytes. */
static size_t parse_example(const char *text, uint8_t *bytes, size_t room)
{
	const char *line = strstr(text, "\n000  89 ");
	size_t length = 0;

	for (; line; line = strchr(line + 1, '\n')) {
		unsigned int offset, byte;
		int at = 0;

		if (sscanf(line, "\n%3x  %n", &offset, &at) != 1 || !at || offset != length)
			break;
		for (int i = 0; i < 16 && length < room && line[at] != ' ' &&
		     sscanf(line + at, "%2x", &byte) == 1; i++, at += 3)
			bytes[length++] = (uint8_t)byte;
	}
	return length;
}

static void the_example_is_a_trace(struct test *t)
{
	char *text = read_text(t);
	uint8_t bytes[1024], payload[1024];
	struct memory_io m = memory_io_over(bytes, parse_example(text, bytes, sizeof(bytes)));
	struct trace_reader *reader = NULL;
	struct trace_damage damage;
	const struct trace_chunk *chunks;

	memory_io_open(&m);
	REQUIRE(t, trace_reader_create(&m.io, 3, &reader) == 0);
	CHECK_INT(t, trace_reader_chunks(reader, &chunks), 2);
	for (size_t i = 0; i < 2; i++)
		CHECK_INT(t, trace_reader_load(reader, &chunks[i], payload), 0);
	trace_reader_damage(reader, &damage);
	CHECK(t, !damage.bytes && !damage.chunks && !damage.torn_tail);
	trace_reader_destroy(reader);
	free(text);
}

TEST_MAIN(TEST(every_number_is_the_headers), TEST(every_offset_is_the_headers), TEST(every_record_is_the_layout_s),
	  TEST(the_version_is_the_header_s), TEST(the_checksums_are_right), TEST(the_example_is_a_trace))
