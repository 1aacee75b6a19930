/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The index and the compiler of call frame information on any bytes: they end soon, and their rows
 * and rules are consistent.
 */
#include "report/resolve/unwind/cfi_rows.h"
#include "tests/fuzz/unwind_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_rule(const struct cfi_rows *rows, uint32_t number)
{
	const struct cfi_rule *rule;

	if (number == CFI_RULE_NONE)
		return;
	fuzz_require(number + 2 <= rows->rules.count);
	rule = cfi_rows_rule(rows, number);
	fuzz_require(number + 2 + rule->count <= rows->rules.count && rule->cfa_register < UNWIND_REGISTERS);
	for (unsigned int i = 0; i < rule->count; i++) {
		const struct cfi_register_rule *reg = &rule->registers[i];

		fuzz_require(reg->reg < UNWIND_REGISTERS && reg->kind >= CFI_OFFSET &&
			     reg->kind <= CFI_VALUE_EXPRESSION);
		if (reg->kind == CFI_REGISTER)
			fuzz_require(reg->value >= 0 && reg->value < UNWIND_REGISTERS);
	}
}

/* A budget of 4 KiB, so that rows are dropped and compiled again. */
static void check_section(const struct cfi_section *section)
{
	struct cfi_rows rows;

	if (cfi_rows_init(&rows, 4096) < 0)
		return;
	for (uint32_t i = 0; i < cfi_section_count(section) && i < 64; i++) {
		struct cfi_fde fde;
		uint64_t middle;
		uint32_t rule;

		if (cfi_section_fde(section, i, &fde) < 0)
			continue;
		middle = fde.start + (fde.end - fde.start) / 2;
		fuzz_require(!cfi_rows_find(&rows, 3, section, fde.start, &rule));
		check_rule(&rows, rule);
		fuzz_require(!cfi_rows_find(&rows, 3, section, middle, &rule));
		check_rule(&rows, rule);
		fuzz_require(!cfi_rows_find(&rows, 3, section, fde.end - 1, &rule));
		check_rule(&rows, rule);
	}
	for (size_t i = 1; i < rows.rows.count; i++)
		fuzz_require(rows.rows.items[i].offset > rows.rows.items[i - 1].offset || !rows.rows.items[i].offset);
	cfi_rows_deinit(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct fuzz_input input = fuzz_input_read(bytes, length);
	struct cfi_section *section;

	if (!cfi_section_create(&input.source, &section)) {
		check_section(section);
		cfi_section_destroy(section);
	}
	fuzz_input_free(&input);
	return 0;
}
