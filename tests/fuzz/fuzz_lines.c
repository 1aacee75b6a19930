/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Source lines. The first byte chooses what the others are: a child's answers (of which only complete texts for requested
 * addresses are accepted), answers from the cache of names (what is accepted is the same after being packed and unpacked
 * again), or a line number program (it ends, its rows ascend within their sequences, and every file has a path or none).
 */
#include "report/dwarf/dwarf_internal.h"
#include "report/dwarf/lines.h"
#include "tests/fuzz/fuzz.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare(const struct line_answers *one, const struct line_answers *two)
{
	fuzz_require(one->count == two->count && (!one->count || !memcmp(one->addresses, two->addresses,
									  one->count * sizeof(*one->addresses))));
	for (size_t i = 0; i < one->count; i++) {
		const struct line_level *a = one->places[i].levels, *b = two->places[i].levels;

		fuzz_require(one->places[i].count == two->places[i].count);
		for (size_t k = 0; k < one->places[i].count; k++)
			fuzz_require(same_text(a[k].function, b[k].function) && same_text(a[k].file, b[k].file) &&
				     a[k].line == b[k].line);
	}
}

static void unpack(const uint8_t *bytes, size_t length)
{
	struct line_answers answers, again;
	struct wire_writer writer;
	struct text_pool texts;

	if (text_pool_init(&texts) < 0)
		return;
	if (!wire_unpack(bytes, length, &texts, &answers)) {
		fuzz_require(!wire_writer_init(&writer, -1) && !wire_pack(&answers, &writer) &&
			     !wire_unpack(writer.bytes.items, writer.bytes.count, &texts, &again));
		compare(&answers, &again);
		wire_writer_deinit(&writer);
		line_answers_deinit(&again);
		line_answers_deinit(&answers);
	}
	text_pool_deinit(&texts);
}

static void read_answers(const uint8_t *bytes, size_t length)
{
	static const uint64_t addresses[] = {1, 2, 3, 5, 8, 13, 21, 34};
	const size_t count = sizeof(addresses) / sizeof(addresses[0]);
	struct line_answers answers;
	struct text_pool texts;
	size_t known = 0;
	int end;

	if (text_pool_init(&texts) < 0 || line_answers_init(&answers, addresses, count) < 0)
		return;
	(void)wire_read(bytes, length, &texts, &answers, &end);
	fuzz_require(end <= 0);
	for (size_t i = 0; i < count; i++) {
		const struct line_level *levels;
		size_t found = line_answers_find(&answers, addresses[i], &levels);

		fuzz_require(found <= WIRE_LEVELS_MAX);
		for (size_t k = 0; k < found; k++) {
			known += levels[k].function ? strlen(levels[k].function) : 0;
			known += levels[k].file ? strlen(levels[k].file) : 0;
		}
	}
	fuzz_require(known <= length * length + length);
	line_answers_deinit(&answers);
	text_pool_deinit(&texts);
}

static bool is_wanted(const void *context, uint64_t address)
{
	(void)context;
	return address & 0x10;
}

static void check_rows(struct line_program *program)
{
	struct line_index index = {0};

	for (size_t i = 0; i < program->sequences.count; i++) {
		const struct line_sequence *sequence = &program->sequences.items[i];

		fuzz_require(sequence->count && sequence->count <= program->rows.count &&
			     sequence->first <= program->rows.count - sequence->count &&
			     sequence->low < sequence->high);
	}
	if (!line_program_add_rows(program, &index))
		for (size_t i = 1; i < index.rows.count; i++)
			fuzz_require(index.rows.items[i - 1].address < index.rows.items[i].address);
	line_index_deinit(&index);
}

/* The first byte sets the length of .debug_line_str. */
static void read_program(const uint8_t *bytes, size_t length)
{
	struct line_sections sections = {0};
	struct line_program program;
	size_t strings;

	if (!length)
		return;
	strings = bytes[0] < length ? bytes[0] : length - 1;
	sections.line_str = (struct line_bytes){.bytes = bytes + 1, .size = strings};
	sections.str = sections.line_str;
	sections.line = (struct line_bytes){.bytes = bytes + 1 + strings, .size = length - 1 - strings};
	(void)line_program_read(&sections, 0, is_wanted, NULL, &program);
	check_rows(&program);
	for (size_t i = 0; i <= program.files.count && i < 64; i++)
		free(line_program_path(&program, i, "/src"));
	line_program_deinit(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (length && bytes[0] & 2)
		read_program(bytes + 1, length - 1);
	else if (length && bytes[0] & 1)
		unpack(bytes + 1, length - 1);
	else if (length)
		read_answers(bytes + 1, length - 1);
	return 0;
}
