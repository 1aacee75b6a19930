/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/elf_cfi.h"
#include "common/elf/elf_file.h"
#include "common/elf/elf_internal.h"

/*
 * Linkers may make a name the tail of another, so names may add up to more than their table; a file
 * in which they add up to much more was made to waste time.
 */
enum { NAME_REUSE_MAX = 16 };

/* The symbols found so far; names as in elf_symbols. */
struct collector {
	const struct elf_file *file;
	ARRAY(struct elf_symbol) symbols;
	char *names;
	size_t names_size;
};

/* One symbol table while it is read. */
struct symbol_table {
	uint8_t *entries;
	size_t count, stride;
	uint32_t *section_indexes; /* for symbols that say SHN_XINDEX */
	size_t section_index_count;
	uint16_t *versions; /* of dynamic symbols */
	size_t version_count;
	size_t names_start; /* its strings within collector.names, to the end */
	size_t name_bytes_left;
};

static void collector_deinit(struct collector *collector)
{
	array_free(&collector->symbols);
	free(collector->names);
}

static void symbol_table_deinit(struct symbol_table *table)
{
	free(table->entries);
	free(table->section_indexes);
	free(table->versions);
}

/* Appends the string table and a NUL. */
static int read_names(struct collector *collector, uint32_t link, struct symbol_table *table)
{
	const struct elf_file *file = collector->file;
	const Elf64_Shdr *section = link < file->section_count ? &file->sections[link] : NULL;
	size_t size = collector->names_size;
	char *names;
	int r;

	if (!section || section->sh_type != SHT_STRTAB || section->sh_size > file->size)
		return -EBADMSG;
	if (section->sh_size > ELF_MAX_SECTION_BYTES)
		return -E2BIG;
	names = realloc(collector->names, size + section->sh_size + 1);
	if (!names)
		return -ENOMEM;
	collector->names = names;
	r = elf_file_read(file, section->sh_offset, section->sh_size, names + size);
	if (r < 0)
		return r;
	collector->names_size = size + section->sh_size + 1;
	names[collector->names_size - 1] = '\0';
	table->names_start = size;
	table->name_bytes_left = NAME_REUSE_MAX * (section->sh_size + 1);
	return 0;
}

/* The SHT_SYMTAB_SHNDX section of this symbol table, if there is one. */
static int read_section_indexes(const struct elf_file *file, uint32_t symbol_section, struct symbol_table *table)
{
	for (size_t i = 0; i < file->section_count; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_type != SHT_SYMTAB_SHNDX || section->sh_link != symbol_section)
			continue;
		table->section_index_count = section->sh_size / sizeof(uint32_t);
		return elf_file_read_table(file, section->sh_offset, table->section_index_count, sizeof(uint32_t),
					   (void **)&table->section_indexes);
	}
	return 0;
}

/* The SHT_GNU_versym section of this symbol table, if there is one. Without it, only the choice of names is worse. */
static int read_versions(const struct elf_file *file, uint32_t symbol_section, struct symbol_table *table)
{
	int r;

	for (size_t i = 0; i < file->section_count; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_type != SHT_GNU_versym || section->sh_link != symbol_section)
			continue;
		table->version_count = section->sh_size / sizeof(uint16_t);
		r = elf_file_read_table(file, section->sh_offset, table->version_count, sizeof(uint16_t),
					(void **)&table->versions);
		if (r)
			table->version_count = 0;
		return r == -ENOMEM ? r : 0;
	}
	return 0;
}

static int read_table(struct collector *collector, uint32_t index, struct symbol_table *table)
{
	const Elf64_Shdr *section = &collector->file->sections[index];
	int r;

	if (section->sh_entsize < elf_file_symbol_size(collector->file))
		return -EBADMSG;
	table->stride = section->sh_entsize;
	table->count = section->sh_size / table->stride;
	if (table->count > ELF_MAX_SYMBOLS || section->sh_size > ELF_MAX_SECTION_BYTES)
		return -E2BIG;
	r = elf_file_read_table(collector->file, section->sh_offset, table->count, table->stride,
				(void **)&table->entries);
	if (!r)
		r = read_names(collector, section->sh_link, table);
	if (!r)
		r = read_section_indexes(collector->file, index, table);
	return r ? r : read_versions(collector->file, index, table);
}

/* The section that a symbol is in; NULL for special and invalid numbers. */
static const Elf64_Shdr *symbol_section(const struct elf_file *file, const struct symbol_table *table, size_t i,
					const Elf64_Sym *symbol)
{
	uint32_t index = symbol->st_shndx;

	if (index == SHN_XINDEX)
		index = i < table->section_index_count ? table->section_indexes[i] : SHN_UNDEF;
	else if (index >= SHN_LORESERVE)
		return NULL;
	return index && index < file->section_count ? &file->sections[index] : NULL;
}

/* $x, $d and their like mark where code and data begin on Arm and RISC-V; they name nothing. */
static bool is_mapping_symbol(uint16_t machine, const char *name)
{
	return (machine == EM_AARCH64 || machine == EM_RISCV) && name[0] == '$' && (name[1] == 'x' || name[1] == 'd');
}

static bool is_code(const struct elf_file *file, const Elf64_Sym *symbol, const Elf64_Shdr *section, const char *name)
{
	switch (ELF64_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return symbol->st_shndx != SHN_UNDEF;
	case STT_NOTYPE: /* assembly; not the marks at the end of a section, such as etext */
		return section && section->sh_flags & SHF_EXECINSTR && symbol->st_value >= section->sh_addr &&
		       symbol->st_value - section->sh_addr < section->sh_size &&
		       !is_mapping_symbol(file->machine, name);
	default:
		return false;
	}
}

static uint16_t section_number(const struct elf_file *file, const Elf64_Shdr *section)
{
	size_t number = section ? (size_t)(section - file->sections) : 0;

	return number <= UINT16_MAX ? (uint16_t)number : 0;
}

/*
 * A name that is kept for programs that were linked long ago is weak: its version is hidden, or "@"
 * and not "@@" follows it. Any other name of the same code is better: free() is also
 * cfree@GLIBC_2.2.5.
 */
static uint8_t bound_as(const struct symbol_table *table, size_t i, const Elf64_Sym *symbol, const char *name)
{
	const char *at = strchr(name, '@');
	bool hidden = i < table->version_count && table->versions[i] & 0x8000;

	return hidden || (at && at[1] != '@') ? STB_WEAK : ELF64_ST_BIND(symbol->st_info);
}

static int collect_table(struct collector *collector, struct symbol_table *table)
{
	size_t names_length = collector->names_size - table->names_start;

	for (size_t i = 0; i < table->count; i++) {
		const char *name = collector->names + table->names_start;
		const Elf64_Sym symbol = elf_file_symbol(collector->file, table->entries + i * table->stride);
		const Elf64_Shdr *section;
		size_t length;

		if (symbol.st_name >= names_length)
			continue;
		name += symbol.st_name;
		section = symbol_section(collector->file, table, i, &symbol);
		if (!*name || !is_code(collector->file, &symbol, section, name))
			continue;
		length = strnlen(name, table->name_bytes_left);
		if (length == table->name_bytes_left)
			return -E2BIG;
		table->name_bytes_left -= length;
		if (array_push(&collector->symbols, (struct elf_symbol){
							    .address = symbol.st_value, .size = symbol.st_size,
							    .name = (uint32_t)(table->names_start + symbol.st_name),
							    .binding = bound_as(table, i, &symbol, name),
							    .type = ELF64_ST_TYPE(symbol.st_info),
							    .section = section_number(collector->file, section),
						    }))
			return -ENOMEM;
	}
	return 0;
}

/* Adds the symbols of the first section of that type, if there is one. */
static int collect(struct collector *collector, uint32_t type)
{
	const struct elf_file *file = collector->file;

	for (size_t i = 0; i < file->section_count; i++) {
		_cleanup_(symbol_table_deinit) struct symbol_table table = {0};
		int r;

		if (file->sections[i].sh_type != type || file->sections[i].sh_flags & SHF_COMPRESSED)
			continue;
		r = read_table(collector, (uint32_t)i, &table);
		return r < 0 ? r : collect_table(collector, &table);
	}
	return 0;
}

static int compare_symbols(const void *left, const void *right, void *context)
{
	const struct collector *collector = context;
	uint32_t left_index = *(const uint32_t *)left, right_index = *(const uint32_t *)right;
	const struct elf_symbol *a = &collector->symbols.items[left_index];
	const struct elf_symbol *b = &collector->symbols.items[right_index];
	int order;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	order = a->name == b->name ? 0 : strcmp(collector->names + a->name, collector->names + b->name);
	if (order)
		return order;
	return left_index < right_index ? -1 : left_index > right_index; /* the first one stays */
}

static bool same_symbol(const struct collector *collector, uint32_t left, uint32_t right)
{
	const struct elf_symbol *a = &collector->symbols.items[left], *b = &collector->symbols.items[right];

	return a->address == b->address &&
	       (a->name == b->name || !strcmp(collector->names + a->name, collector->names + b->name));
}

/* The bytes from the address to its section's end; 0: it is not in the section, as in a relocatable file. */
static uint64_t room_in_section(const struct elf_file *file, const struct elf_symbol *symbol)
{
	const Elf64_Shdr *section = &file->sections[symbol->section];

	if (!symbol->section || !section->sh_addr || symbol->address < section->sh_addr ||
	    symbol->address - section->sh_addr >= section->sh_size)
		return 0;
	return section->sh_size - (symbol->address - section->sh_addr);
}

/* Where functions begin by evidence that stripping leaves: call frame information, and Go's table. */
struct begins {
	uint64_t *items; /* ascending; NULL until a symbol without a size is met */
	size_t count;
	bool sparse; /* only exported symbols are known */
};

static int compare_addresses(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static int find_begins(const struct elf_file *file, struct begins *begins)
{
	_cleanup_(cfi_functions_deinit) struct cfi_functions functions = {0};
	_cleanup_(elf_symbols_deinit) struct elf_symbols go = {0};

	if (begins->items)
		return 0;
	if (cfi_functions_of_file(file, &functions) == -ENOMEM || elf_file_go_symbols(file, &go) == -ENOMEM)
		return -ENOMEM;
	begins->items = calloc(functions.list.count + go.count + 1, sizeof(*begins->items));
	if (!begins->items)
		return -ENOMEM;
	for (size_t i = 0; i < functions.list.count; i++)
		begins->items[begins->count++] = functions.list.items[i].start;
	for (size_t i = 0; i < go.count; i++)
		begins->items[begins->count++] = go.items[i].address;
	qsort(begins->items, begins->count, sizeof(*begins->items), compare_addresses);
	begins->sparse = !elf_file_has_symtab(file);
	return 0;
}

/* The first begin of a function after the address; without any, a sparse table says nothing about the next byte. */
static uint64_t next_begin(const struct begins *begins, uint64_t address)
{
	size_t above = SORTED_FIRST(i, begins->count, begins->items[i] > address);

	if (!begins->count && begins->sparse)
		return address + 1;
	return above < begins->count ? begins->items[above] : UINT64_MAX;
}

/*
 * The symbols of one address: if none has a size, they extend to their section's end at most, and to where another
 * function begins; `next`: the next address.
 */
static int end_symbols(struct collector *collector, struct begins *begins, const uint32_t *order, size_t count,
		       uint64_t next)
{
	struct elf_symbol *items = collector->symbols.items;
	int r = 0;

	for (size_t i = 0; i < count; i++)
		if (items[order[i]].size)
			return 0;
	for (size_t i = 0; i < count && !r; i++) {
		struct elf_symbol *symbol = &items[order[i]];
		uint64_t room = room_in_section(collector->file, symbol), end;

		r = room ? find_begins(collector->file, begins) : 0;
		end = r || !room ? next : next_begin(begins, symbol->address);
		if (room && end - symbol->address < room)
			room = end - symbol->address;
		if (room && room < next - symbol->address)
			symbol->size = room;
	}
	return r;
}

/* A symbol without a size extends to the next one, but not into another section: _init must not cover the PLT. */
static int end_all_symbols(struct collector *collector, const uint32_t *order)
{
	const struct elf_symbol *items = collector->symbols.items;
	size_t count = collector->symbols.count;
	struct begins begins = {0};
	int r = 0;

	for (size_t i = 0, first = 0; i < count && !r; i++) {
		uint64_t next = i + 1 < count ? items[order[i + 1]].address : UINT64_MAX;

		if (next == items[order[i]].address)
			continue;
		r = end_symbols(collector, &begins, order + first, i + 1 - first, next);
		first = i + 1;
	}
	free(begins.items);
	return r;
}

/* Drops duplicates of address and name; the rest keeps its order. */
static int drop_duplicates(struct collector *collector)
{
	size_t count = collector->symbols.count, kept = 0;
	struct elf_symbol *items = collector->symbols.items;
	_cleanup_free_ uint32_t *order = calloc(count + 1, sizeof(*order));
	int r;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_symbols, collector);
	r = end_all_symbols(collector, order);
	if (r < 0)
		return r;
	for (size_t i = 0, first = 0; i < count; i++) {
		if (i && same_symbol(collector, order[first], order[i]))
			items[order[i]].type = STT_NUM; /* no symbol has it: dropped below */
		else
			first = i;
	}
	for (size_t i = 0; i < count; i++)
		if (items[i].type != STT_NUM)
			items[kept++] = items[i];
	collector->symbols.count = kept;
	return 0;
}

int elf_file_symbols(const struct elf_file *file, struct elf_symbols *ret_symbols)
{
	_cleanup_(collector_deinit) struct collector collector = {.file = file};
	int r = collect(&collector, SHT_SYMTAB);

	if (!r)
		r = collect(&collector, SHT_DYNSYM);
	if (!r)
		r = drop_duplicates(&collector);
	if (r < 0)
		return r;
	*ret_symbols = (struct elf_symbols){
		.items = steal_ptr(collector.symbols.items),
		.count = collector.symbols.count,
		.names = steal_ptr(collector.names),
		.names_size = collector.names_size,
	};
	return 0;
}

int elf_symbols_append(struct elf_symbols *symbols, const struct elf_symbols *more)
{
	size_t count = symbols->count + more->count, size = symbols->names_size + more->names_size;
	struct elf_symbol *items;
	char *names;

	if (size > UINT32_MAX)
		return -E2BIG;
	items = reallocarray(symbols->items, count + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	symbols->items = items;
	names = realloc(symbols->names, size + 1);
	if (!names)
		return -ENOMEM;
	symbols->names = names;
	if (more->names_size)
		memcpy(names + symbols->names_size, more->names, more->names_size);
	for (size_t i = 0; i < more->count; i++) {
		items[symbols->count] = more->items[i];
		items[symbols->count++].name += (uint32_t)symbols->names_size;
	}
	symbols->names_size = size;
	return 0;
}

void elf_symbols_deinit(struct elf_symbols *symbols)
{
	free(symbols->items);
	free(symbols->names);
	*symbols = (struct elf_symbols){0};
}
