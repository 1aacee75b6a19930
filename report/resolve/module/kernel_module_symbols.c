/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/kernel_module_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

const char *kernel_module_release(const struct module *module)
{
	for (size_t i = 0; i < module->parts.count; i++) {
		const char *release = trace_model_meta(module->parts.items[i].model, "kernel_release");

		if (release && *release)
			return release;
	}
	return "";
}

/* A symbol without a size extends to the next one, the last to the end of the section at most. */
static uint64_t size_of(const struct elf_symbol *symbol, uint64_t last, uint64_t section_size)
{
	return symbol->size || symbol->address < last ? symbol->size : section_size - symbol->address;
}

static int add_text(const struct elf_file *elf, struct symbol_list *list)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	uint64_t size = 0, last = 0;
	uint16_t text = 0;
	int r = elf_file_module_text(elf, &text, &size);

	if (!r)
		r = elf_file_symbols(elf, &symbols);
	for (size_t i = 0; i < symbols.count; i++)
		if (symbols.items[i].section == text && symbols.items[i].address < size &&
		    symbols.items[i].address > last)
			last = symbols.items[i].address;
	for (size_t i = 0; i < symbols.count && !r; i++) {
		const struct elf_symbol *symbol = &symbols.items[i];
		const char *name = symbols.names + symbol->name;

		if (symbol->section != text || symbol->address >= size)
			continue;
		r = symbol_list_add(list, symbol->address, size_of(symbol, last, size), name, strlen(name));
		if (!r)
			list->symbols.items[list->symbols.count - 1].binding = symbol->binding;
	}
	return r;
}

int kernel_module_symbols_add(const struct local_files *files, const struct module *module,
			      struct file_symbols *symbols)
{
	_cleanup_(local_elf_close) struct local_elf local = {.fd = -1};
	int r = local_elf_open_kernel_module(files, kernel_module_release(module), module->path, &module->id,
					     &symbols->refused, &local);

	if (!r)
		r = add_text(local.elf, &symbols->list);
	if (r < 0)
		return r;
	symbols->origin = SYMBOLS_FROM_KERNEL_MODULE;
	symbols->path = steal_ptr(local.path);
	return 0;
}
