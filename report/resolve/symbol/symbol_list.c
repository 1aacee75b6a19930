/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <elf.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/resolve/symbol/symbol_index.h"

static int add_name(struct symbol_list *list, const void *name, size_t length, uint32_t *ret_offset)
{
	size_t offset = list->names.count;

	if (offset + length + 1 > UINT32_MAX || array_reserve(&list->names, offset + length + 1) < 0)
		return -ENOMEM;
	memcpy(list->names.items + offset, name, length);
	list->names.items[offset + length] = '\0';
	list->names.count += length + 1;
	*ret_offset = (uint32_t)offset;
	return 0;
}

int symbol_list_add(struct symbol_list *list, uint64_t address, uint64_t size, const void *name,
		    size_t length)
{
	struct raw_symbol symbol = {.address = address, .size = size, .binding = STB_GLOBAL};
	int r = add_name(list, name, length, &symbol.name);

	return r < 0 ? r : array_push(&list->symbols, symbol);
}

int symbol_list_add_symbols(struct symbol_list *list, const struct elf_symbols *symbols, uint64_t base)
{
	size_t offset = list->names.count;

	if (offset + symbols->names_size > UINT32_MAX ||
	    array_reserve(&list->names, offset + symbols->names_size) < 0 ||
	    array_reserve(&list->symbols, list->symbols.count + symbols->count) < 0)
		return -ENOMEM;
	if (symbols->names_size)
		memcpy(list->names.items + offset, symbols->names, symbols->names_size);
	list->names.count += symbols->names_size;
	for (size_t i = 0; i < symbols->count; i++) {
		const struct elf_symbol *symbol = &symbols->items[i];

		if (symbol->name >= symbols->names_size || !symbols->names[symbol->name])
			continue;
		list->symbols.items[list->symbols.count++] =
			(struct raw_symbol){.address = symbol->address - base,
					    .size = symbol->size,
					    .name = (uint32_t)offset + symbol->name,
					    .binding = symbol->binding};
	}
	return 0;
}

int symbol_list_add_elf(struct symbol_list *list, const struct elf_file *elf, uint64_t base)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	int r = elf_file_symbols(elf, &symbols);

	return r < 0 ? r : symbol_list_add_symbols(list, &symbols, base);
}

void symbol_list_deinit(struct symbol_list *list)
{
	array_free(&list->symbols);
	array_free(&list->names);
}
