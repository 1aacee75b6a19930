/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as a line number program: it ends, its rows ascend within their sequences, and every
 * file has a path or none.
 */
#include "report/resolve/dwarf/line_program.h"
#include "tests/fuzz/unwind_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

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
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct line_sections sections = {0};
	struct line_program program;
	size_t strings;

	if (!length)
		return 0;
	strings = bytes[0] < length ? bytes[0] : length - 1;
	sections.line_str = (struct line_bytes){.bytes = bytes + 1, .size = strings};
	sections.str = sections.line_str;
	sections.line = (struct line_bytes){.bytes = bytes + 1 + strings, .size = length - 1 - strings};
	(void)line_program_read(&sections, 0, is_wanted, NULL, &program);
	check_rows(&program);
	for (size_t i = 0; i <= program.files.count && i < 64; i++)
		free(line_program_path(&program, i, "/src"));
	line_program_deinit(&program);
	return 0;
}
