/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/every_row.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "report/resolve/unwind/cfi_rows.h"

enum { STACK_BYTES = 1 << 20, PC = 16, SP = 7, COUNT = 17 };

static const uint64_t STACK = 0x7ff000000000;

/* All of memory is one mapping of the module, so that any word is a valid return address. */
static struct oracle_space *space_of(struct oracle_modules *modules)
{
	struct oracle_space *space = calloc(1, sizeof(*space));

	if (!space || array_push(&space->maps, (struct oracle_mapping){.end = UINT64_MAX}) < 0)
		abort();
	space->modules = modules;
	space->generation = 1;
	return space;
}

/* Registers point into the stack above sp, each to a different place; no word of the stack is 0. */
static void make_up(struct oracle_snapshot *snapshot)
{
	uint64_t random = 88172645463325252;

	for (int i = 0; i < COUNT; i++)
		snapshot->registers[i] = STACK + STACK_BYTES / 2 + 4096 * (uint64_t)i;
	snapshot->registers[SP] = STACK + STACK_BYTES / 4;
	snapshot->known = (UINT64_C(1) << COUNT) - 1;
	for (size_t i = 0; i < STACK_BYTES / 8; i++) {
		random ^= random << 13; /* Marsaglia, "Xorshift RNGs", 2003 */
		random ^= random >> 7;
		random ^= random << 17;
		((uint64_t *)(void *)snapshot->stack)[i] = STACK + random % STACK_BYTES;
	}
	snapshot->stack_address = STACK;
	snapshot->stack_size = STACK_BYTES;
}

static int compare_fde(struct unwinder *unwinder, const struct cfi_section *section, uint32_t number,
		       struct oracle_snapshot *snapshot, struct oracle_tally *tally)
{
	struct cfi_rows rows;
	struct cfi_fde fde;
	uint32_t rule;
	int r;

	if (cfi_section_fde(section, number, &fde) < 0)
		return 0;
	r = cfi_rows_init(&rows, 1 << 20);
	if (!r)
		r = cfi_rows_find(&rows, 0, section, fde.start, &rule);
	for (size_t i = 0; !r && i < rows.rows.count; i++) {
		snapshot->registers[PC] = fde.start + rows.rows.items[i].offset;
		r = oracle_compare_step(unwinder, snapshot, tally);
		if (!r && i + 1 < rows.rows.count) {
			snapshot->registers[PC] = fde.start + rows.rows.items[i + 1].offset - 1;
			r = oracle_compare_step(unwinder, snapshot, tally);
		}
	}
	cfi_rows_deinit(&rows);
	return r;
}

int oracle_every_row(struct oracle_modules *modules, const char *path, struct oracle_tally *tally)
{
	const struct oracle_module *module = oracle_module_open(modules, path);
	struct oracle_snapshot snapshot = {.stack = malloc(STACK_BYTES)};
	struct unwinder *unwinder = NULL;
	int r = module && module->cfi.section && snapshot.stack ? 0 : -ENOEXEC;

	if (!r)
		r = unwinder_create(unwind_arch_find(EM_X86_64), 0, &unwinder);
	if (!r) {
		snapshot.space = space_of(modules);
		make_up(&snapshot);
	}
	for (uint32_t i = 0; !r && i < cfi_section_count(module->cfi.section); i++)
		r = compare_fde(unwinder, module->cfi.section, i, &snapshot, tally);
	unwinder_destroy(unwinder);
	free(snapshot.stack);
	return r;
}
