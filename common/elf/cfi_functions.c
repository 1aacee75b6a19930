/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/cfi_functions.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/cfi_entry.h"

void cfi_functions_deinit(struct cfi_functions *functions)
{
	array_free(&functions->list);
}

struct reading {
	struct cfi_bytes bytes;
	enum cfi_kind kind;
	struct cfi_pointer_bases bases;
	struct cfi_functions *functions;
	size_t cie_offset; /* of the last CIE read */
	bool cie_readable;
	struct cfi_cie cie;
};

static void read_cie(struct reading *reading, size_t offset)
{
	if (offset == reading->cie_offset)
		return;
	reading->cie_offset = offset;
	reading->cie_readable = !cfi_cie_read(&reading->bytes, reading->kind, offset, &reading->cie);
}

/* An FDE of code that the linker left out begins at 0. */
static int take_fde(struct reading *reading, const struct cfi_entry *entry)
{
	struct cfi_fde_head head;

	read_cie(reading, entry->cie);
	if (!reading->cie_readable || cfi_fde_read(&reading->bytes, entry, &reading->cie, &reading->bases, &head) < 0 ||
	    !head.start || head.start >= head.end)
		return 0;
	return array_push(&reading->functions->list, (struct cfi_function){head.start, head.end});
}

static int read_section(const struct elf_section_bytes *section, enum cfi_kind kind, uint64_t text,
			struct cfi_functions *functions)
{
	struct reading reading = {
		.bytes = {section->bytes, section->compressed ? 0 : section->size, section->address},
		.kind = kind,
		.bases = {.section = section->address, .text = text},
		.functions = functions,
		.cie_offset = SIZE_MAX,
	};
	struct cfi_entry entry;
	int r = 0;

	for (size_t offset = 0; !r && offset < reading.bytes.size; offset = entry.next) {
		if (cfi_entry_read(&reading.bytes, kind, offset, &entry) < 0)
			break;
		if (entry.kind == CFI_ENTRY_FDE)
			r = take_fde(&reading, &entry);
	}
	return r;
}

static int compare(const void *left, const void *right)
{
	const struct cfi_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

int cfi_functions_read(const struct elf_unwind *unwind, uint64_t text, struct cfi_functions *ret_functions)
{
	_cleanup_(cfi_functions_deinit) struct cfi_functions functions = {0};
	int r = read_section(&unwind->eh_frame, CFI_EH_FRAME, text, &functions);

	if (!r)
		r = read_section(&unwind->debug_frame, CFI_DEBUG_FRAME, text, &functions);
	if (r < 0)
		return r;
	if (functions.list.count)
		qsort(functions.list.items, functions.list.count, sizeof(*functions.list.items), compare);
	*ret_functions = functions;
	functions = (struct cfi_functions){0};
	return 0;
}

int cfi_functions_of_file(const struct elf_file *file, struct cfi_functions *ret_functions)
{
	struct elf_unwind unwind;
	int r = elf_file_unwind(file, &unwind);

	if (r < 0)
		return r;
	r = cfi_functions_read(&unwind, elf_file_text_address(file), ret_functions);
	elf_unwind_deinit(&unwind);
	return r;
}

const struct cfi_function *cfi_functions_find(const struct cfi_functions *functions, uint64_t address)
{
	size_t above = SORTED_FIRST(i, functions->list.count, functions->list.items[i].start > address);

	return above && address < functions->list.items[above - 1].end ? &functions->list.items[above - 1] : NULL;
}
