/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unwind/cfi_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_map.h"
#include "report/resolve/unwind/cfi_program.h"

int cfi_rows_init(struct cfi_rows *rows, size_t budget)
{
	int r;

	*rows = (struct cfi_rows){.budget = budget};
	r = hash_map_init(&rows->numbers);
	if (!r)
		r = cfi_program_create(&rows->program);
	if (!r)
		r = array_push(&rows->rules, 0); /* number 0 is CFI_RULE_NONE */
	if (r < 0)
		cfi_rows_deinit(rows);
	return r;
}

void cfi_rows_deinit(struct cfi_rows *rows)
{
	for (size_t i = 0; i < rows->modules.count; i++)
		free(rows->modules.items[i].blocks);
	array_free(&rows->modules);
	array_free(&rows->blocks);
	array_free(&rows->rows);
	array_free(&rows->rules);
	hash_map_deinit(&rows->numbers);
	cfi_program_destroy(rows->program);
	rows->program = NULL;
}

static size_t bytes_used(const struct cfi_rows *rows)
{
	return rows->rows.count * sizeof(*rows->rows.items) + rows->rules.count * sizeof(*rows->rules.items) +
	       rows->blocks.count * sizeof(*rows->blocks.items);
}

static void drop_all(struct cfi_rows *rows)
{
	for (size_t i = 0; i < rows->modules.count; i++) {
		struct cfi_module *module = &rows->modules.items[i];

		if (module->blocks)
			memset(module->blocks, 0,
			       cfi_section_count(module->section) * sizeof(*module->blocks));
	}
	rows->blocks.count = rows->rows.count = 0;
	rows->rules.count = CFI_RULE_FIRST;
	hash_map_clear(&rows->numbers);
	rows->epoch++;
}

/* The bytes that identify a rule. */
struct rule_key {
	const char *bytes;
	size_t size; /* a multiple of 8 */
};

static struct rule_key key_of(const struct cfi_rule *rule)
{
	const size_t before = offsetof(struct cfi_rule, same);

	return (struct rule_key){
		.bytes = (const char *)rule + before,
		.size = sizeof(*rule) - before + rule->count * sizeof(*rule->registers),
	};
}

/* A miss only costs a lookup in the map, so attackers gain nothing from collisions. */
static uint32_t *recent_of(struct cfi_rows *rows, struct rule_key key)
{
	uint64_t hash = 0, factor = HASH_GOLDEN, word;

	for (size_t at = 0; at < key.size; at += sizeof(word), factor += 2 * HASH_GOLDEN) {
		memcpy(&word, key.bytes + at, sizeof(word));
		hash += (word ^ word >> 32) * factor;
	}
	return &rows->recent[hash >> 32 & (CFI_RECENT - 1)];
}

/* After the rules were dropped, an old number may belong to another rule, or be beyond the last one. */
static bool is_rule(const struct cfi_rows *rows, uint32_t number, struct rule_key key)
{
	const size_t before = offsetof(struct cfi_rule, same);

	return number >= CFI_RULE_FIRST &&
	       number + (before + key.size) / sizeof(uint64_t) <= rows->rules.count &&
	       !memcmp((const char *)cfi_rows_rule(rows, number) + before, key.bytes, key.size);
}

int cfi_rows_intern(struct cfi_rows *rows, const struct cfi_rule *rule, uint32_t *ret_number)
{
	size_t size = sizeof(*rule) + rule->count * sizeof(*rule->registers);
	size_t words = size / sizeof(uint64_t), number = rows->rules.count;
	struct rule_key key = key_of(rule);
	uint32_t *recent = recent_of(rows, key);
	uint64_t *known;
	int r;

	if (is_rule(rows, *recent, key)) {
		*ret_number = *recent;
		return 0;
	}
	if (number > UINT32_MAX - words || array_reserve(&rows->rules, number + words) < 0)
		return -ENOMEM;
	r = hash_map_add(&rows->numbers, key.bytes, key.size, number, &known);
	if (r < 0)
		return r;
	if (r > 0) {
		memcpy(&rows->rules.items[number], rule, size);
		rows->rules.count += words;
	}
	*ret_number = *recent = (uint32_t)*known;
	return r;
}

void cfi_rows_set_brief(struct cfi_rows *rows, uint32_t number, const struct cfi_short *brief)
{
	memcpy(&rows->rules.items[number], brief, sizeof(*brief));
}

int cfi_rows_append(struct cfi_rows *rows, uint32_t block_first, uint32_t offset, uint32_t rule)
{
	struct cfi_row *last = rows->rows.count > block_first ?
			       &rows->rows.items[rows->rows.count - 1] : NULL;

	if (last && last->offset == offset) {
		last->rule = rule;
		return 0;
	}
	if (last && last->rule == rule)
		return 0;
	return array_push(&rows->rows, (struct cfi_row){.offset = offset, .rule = rule});
}

/* An unreadable FDE gets an empty block, so that it is not tried again. */
static int compile(struct cfi_rows *rows, const struct cfi_section *section, uint32_t number,
		   uint32_t *ret_block)
{
	struct cfi_block block;
	struct cfi_fde fde;
	int r;

	if (bytes_used(rows) > rows->budget || rows->rows.count > UINT32_MAX / 2)
		drop_all(rows);
	block = (struct cfi_block){.first_row = (uint32_t)rows->rows.count};
	if (!cfi_section_fde(section, number, &fde)) {
		r = cfi_program_run(rows->program, cfi_section_arch(section), &fde, rows);
		if (r < 0)
			return r;
		block.start = fde.start;
		block.end = fde.end;
		block.row_count = (uint32_t)rows->rows.count - block.first_row;
	}
	*ret_block = (uint32_t)rows->blocks.count;
	return array_push(&rows->blocks, block);
}

static uint32_t rule_at(const struct cfi_rows *rows, const struct cfi_block *block, uint64_t address)
{
	const struct cfi_row *row = rows->rows.items + block->first_row;
	uint64_t offset = address - block->start;

	for (uint32_t count = block->row_count; count > 1;) {
		uint32_t half = count / 2;

		row += row[half].offset <= offset ? half : 0;
		count -= half;
	}
	return block->row_count ? row->rule : CFI_RULE_NONE;
}

static int module_of(struct cfi_rows *rows, uint32_t number, const struct cfi_section *section,
		     struct cfi_module **ret_module)
{
	struct cfi_module *module;

	while (rows->modules.count <= number)
		if (array_push(&rows->modules, (struct cfi_module){0}) < 0)
			return -ENOMEM;
	module = &rows->modules.items[number];
	if (!module->blocks) {
		module->blocks = calloc((size_t)cfi_section_count(section) + 1, sizeof(*module->blocks));
		if (!module->blocks)
			return -ENOMEM;
		module->section = section;
	}
	*ret_module = module;
	return 0;
}

int cfi_rows_find(struct cfi_rows *rows, uint32_t module_number, const struct cfi_section *section,
		  uint64_t address, uint32_t *ret_rule)
{
	struct cfi_module *module;
	int r = module_of(rows, module_number, section, &module);

	for (enum cfi_kind kind = CFI_EH_FRAME; !r && kind <= CFI_DEBUG_FRAME; kind++) {
		const struct cfi_block *block;
		uint32_t fde, number;

		if (!cfi_section_find(section, kind, address, &fde))
			continue;
		if (!module->blocks[fde]) {
			r = compile(rows, section, fde, &number);
			if (r < 0)
				break;
			module->blocks[fde] = number + 1;
		}
		block = &rows->blocks.items[module->blocks[fde] - 1];
		if (address < block->start || address >= block->end)
			continue;
		*ret_rule = rule_at(rows, block, address);
		return 0;
	}
	if (!r)
		*ret_rule = CFI_RULE_NONE;
	return r;
}
