/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/elf_plt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/elf_internal.h"

enum {
	PLT_MAX_BYTES = 64 << 20,
	NAME_MAX_BYTES = 4096,
	NAMES_MAX_BYTES = 16 << 20, /* of all entries: they may share their names' bytes in the file */
	SECTIONS_MAX = 16,	    /* most sections read of each kind: linkers make up to four */
	STEP_X86 = 8, /* alignment of entries; the shortest has this size */
	STEP_ARM = 4,
	LEAST_ARM = 16,
	MOST_X86 = 16,
	MOST_ARM = 24,
};

struct slot { /* of the GOT, from a relocation */
	uint64_t address, addend;
	uint32_t symbol; /* in .dynsym; 0: none */
};

struct reading {
	const struct elf_file *file;
	ARRAY(struct slot) slots; /* by address */
	ARRAY(struct slot) lazy;  /* .rela.plt in file order: a lazy entry pushes an index into it */
	Elf64_Sym *dynamic;
	size_t dynamic_count;
	char *strings; /* NUL at the end */
	size_t strings_size;
	ARRAY(struct elf_symbol) symbols;
	ARRAY(char) names;
};

static void reading_deinit(struct reading *reading)
{
	array_free(&reading->slots);
	array_free(&reading->lazy);
	array_free(&reading->symbols);
	array_free(&reading->names);
	free(reading->dynamic);
	free(reading->strings);
}

/* --- names --- */

static int read_strings(struct reading *reading, const Elf64_Shdr *section)
{
	int r;

	if (section->sh_type != SHT_STRTAB || section->sh_size > ELF_MAX_SECTION_BYTES || !section->sh_size)
		return -EBADMSG;
	r = elf_file_read_table(reading->file, section->sh_offset, section->sh_size, 1, (void **)&reading->strings);
	if (r < 0)
		return r;
	reading->strings[section->sh_size - 1] = '\0';
	reading->strings_size = section->sh_size;
	return 0;
}

static int read_dynamic(struct reading *reading)
{
	const struct elf_file *file = reading->file;

	for (size_t i = 0; i < file->section_count; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		int r;

		if (section->sh_type != SHT_DYNSYM)
			continue;
		if (section->sh_entsize != sizeof(Elf64_Sym) || section->sh_link >= file->section_count)
			return -EBADMSG;
		if (section->sh_size / sizeof(Elf64_Sym) > ELF_MAX_SYMBOLS)
			return -E2BIG;
		reading->dynamic_count = section->sh_size / sizeof(Elf64_Sym);
		r = elf_file_read_table(file, section->sh_offset, reading->dynamic_count, sizeof(Elf64_Sym),
					(void **)&reading->dynamic);
		return r < 0 ? r : read_strings(reading, &file->sections[section->sh_link]);
	}
	return 0;
}

/* NULL: it has none. */
static const char *name_of(const struct reading *reading, const struct slot *slot)
{
	const char *name;

	if (!slot->symbol || slot->symbol >= reading->dynamic_count ||
	    reading->dynamic[slot->symbol].st_name >= reading->strings_size)
		return NULL;
	name = reading->strings + reading->dynamic[slot->symbol].st_name;
	return *name && strnlen(name, NAME_MAX_BYTES) < NAME_MAX_BYTES ? name : NULL;
}

/* --- slots --- */

static bool is_slot(uint16_t machine, uint64_t info)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(info);

	if (machine == EM_AARCH64)
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_IRELATIVE;
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_IRELATIVE;
}

static int take_relocations(struct reading *reading, const Elf64_Shdr *section, bool lazy)
{
	_cleanup_free_ Elf64_Rela *relocations = NULL;
	size_t count = section->sh_size / sizeof(*relocations);
	int r;

	if (section->sh_entsize != sizeof(*relocations) || section->sh_size > ELF_MAX_SECTION_BYTES)
		return 0;
	r = elf_file_read_table(reading->file, section->sh_offset, count, sizeof(*relocations), (void **)&relocations);
	for (size_t i = 0; !r && i < count; i++) {
		const Elf64_Rela *relocation = &relocations[i];
		const struct slot slot = {
			.address = relocation->r_offset,
			.addend = (uint64_t)relocation->r_addend,
			.symbol = (uint32_t)ELF64_R_SYM(relocation->r_info),
		};

		if (lazy)
			r = array_push(&reading->lazy, slot);
		if (!r && is_slot(reading->file->machine, relocation->r_info))
			r = array_push(&reading->slots, slot);
	}
	return r;
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static int read_slots(struct reading *reading, const char *names, size_t names_size)
{
	const struct elf_file *file = reading->file;
	size_t taken = 0;
	int r = 0;

	for (size_t i = 0; !r && i < file->section_count && taken < SECTIONS_MAX; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_type != SHT_RELA || !(section->sh_flags & SHF_ALLOC))
			continue;
		r = take_relocations(reading, section,
				     section->sh_name < names_size && !strcmp(names + section->sh_name, ".rela.plt"));
		taken++;
	}
	if (reading->slots.count)
		qsort(reading->slots.items, reading->slots.count, sizeof(*reading->slots.items), compare_slots);
	return r;
}

static const struct slot *find_slot(const struct reading *reading, uint64_t address)
{
	const struct slot wanted = {.address = address};

	if (!reading->slots.count)
		return NULL;
	return bsearch(&wanted, reading->slots.items, reading->slots.count, sizeof(wanted), compare_slots);
}

/* --- code --- */

struct code {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

static uint32_t word_at(const struct code *code, size_t at)
{
	uint32_t word;

	memcpy(&word, code->bytes + at, sizeof(word));
	return word;
}

static bool has_bytes(const struct code *code, size_t at, const char *bytes, size_t length)
{
	return at <= code->size && length <= code->size - at && !memcmp(code->bytes + at, bytes, length);
}

/* [endbr64] [bnd] jmp *slot(%rip), or a lazy entry with IBT: endbr64; push $number; [bnd] jmp to the first entry. */
static const struct slot *decode_x86(const struct reading *reading, const struct code *code, size_t at)
{
	bool marked = has_bytes(code, at, "\xf3\x0f\x1e\xfa", 4);

	at += marked ? 4 : 0;
	if (marked && has_bytes(code, at, "\x68", 1) && code->size - at >= 10) {
		uint32_t number = word_at(code, at + 1);

		at += 5;
		at += has_bytes(code, at, "\xf2", 1);
		return has_bytes(code, at, "\xe9", 1) && number < reading->lazy.count ?
			       &reading->lazy.items[number] :
			       NULL;
	}
	at += has_bytes(code, at, "\xf2", 1);
	if (!has_bytes(code, at, "\xff\x25", 2) || code->size - at < 6)
		return NULL;
	return find_slot(reading, code->address + at + 6 + (uint64_t)(int64_t)(int32_t)word_at(code, at + 2));
}

/* [bti c]; adrp x16, page; ldr x17, [x16, offset] */
static const struct slot *decode_arm(const struct reading *reading, const struct code *code, size_t at)
{
	uint32_t page, load;
	uint64_t base, pages;

	if (code->size - at >= 12 && word_at(code, at) == 0xd503245f)
		at += 4;
	if (code->size - at < 8)
		return NULL;
	page = word_at(code, at);
	load = word_at(code, at + 4);
	if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
		return NULL;
	pages = (page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3);
	pages = (pages ^ 1 << 20) - (1 << 20); /* 21 bits with a sign */
	base = ((code->address + at) & ~UINT64_C(0xfff)) + (pages << 12);
	return find_slot(reading, base + (load >> 10 & 0xfff) * 8);
}

/* --- symbols --- */

/* Its size may be set later. */
static int add_symbol(struct reading *reading, uint64_t address, uint64_t size, const char *name, const char *suffix)
{
	struct elf_symbol symbol = {
		.address = address, .size = size, .name = (uint32_t)reading->names.count,
		.binding = STB_LOCAL, .type = STT_FUNC};
	size_t length = strlen(name), more = strlen(suffix) + 1;

	if (reading->names.count + length + more > NAMES_MAX_BYTES)
		return -E2BIG;
	if (array_reserve(&reading->names, reading->names.count + length + more) < 0)
		return -ENOMEM;
	memcpy(reading->names.items + reading->names.count, name, length);
	memcpy(reading->names.items + reading->names.count + length, suffix, more);
	reading->names.count += length + more;
	return array_push(&reading->symbols, symbol);
}

static int add_entry(struct reading *reading, uint64_t address, const struct slot *slot)
{
	const char *name = name_of(reading, slot);
	char text[32];

	if (!name) {
		(void)snprintf(text, sizeof(text), "*ABS*+0x%" PRIx64, slot->addend);
		name = text;
	}
	return add_symbol(reading, address, 0, name, "@plt");
}

/* An entry extends to the next one, at most to the size of the largest kind. */
static void set_sizes(struct reading *reading, size_t first, const struct code *code, uint64_t most)
{
	uint64_t end = code->address + code->size;

	for (size_t i = reading->symbols.count; i > first; i--) {
		struct elf_symbol *symbol = &reading->symbols.items[i - 1];
		const uint64_t room = end - symbol->address;

		symbol->size = room < most ? room : most;
		end = symbol->address;
	}
}

static int read_code(struct reading *reading, const struct code *code)
{
	const bool arm = reading->file->machine == EM_AARCH64;
	const size_t step = arm ? STEP_ARM : STEP_X86, least = arm ? LEAST_ARM : STEP_X86;
	size_t first = reading->symbols.count;
	uint64_t begin;
	int r = 0;

	for (size_t at = 0; !r && at + step <= code->size;) {
		const struct slot *slot = arm ? decode_arm(reading, code, at) : decode_x86(reading, code, at);

		if (slot)
			r = add_entry(reading, code->address + at, slot);
		at += slot ? least : step;
	}
	if (r < 0 || first == reading->symbols.count)
		return r;
	set_sizes(reading, first, code, arm ? MOST_ARM : MOST_X86);
	begin = reading->symbols.items[first].address;
	return begin > code->address ? add_symbol(reading, code->address, begin - code->address, ".plt", "") : 0;
}

/* --- sections --- */

static bool is_plt(const Elf64_Shdr *section, const char *names, size_t names_size)
{
	const char *name = section->sh_name < names_size ? names + section->sh_name : "";

	return section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR &&
	       section->sh_size <= PLT_MAX_BYTES &&
	       (!strncmp(name, ".plt", 4) || !strncmp(name, ".iplt", 5));
}

static int read_section(struct reading *reading, const Elf64_Shdr *section)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct code code = {.size = section->sh_size, .address = section->sh_addr};
	int r = elf_file_read_table(reading->file, section->sh_offset, section->sh_size, 1, (void **)&bytes);

	code.bytes = bytes;
	return r < 0 ? r : read_code(reading, &code);
}

static int read_sections(struct reading *reading, const char *names, size_t names_size)
{
	const struct elf_file *file = reading->file;
	size_t taken = 0;
	int r = 0;

	for (size_t i = 0; !r && i < file->section_count && taken < SECTIONS_MAX; i++) {
		if (!is_plt(&file->sections[i], names, names_size))
			continue;
		if (!taken++) {
			r = read_dynamic(reading);
			if (!r)
				r = read_slots(reading, names, names_size);
		}
		if (!r)
			r = read_section(reading, &file->sections[i]);
	}
	return r;
}

int elf_file_plt_symbols(const struct elf_file *file, struct elf_symbols *ret_symbols)
{
	_cleanup_(reading_deinit) struct reading reading = {.file = file};
	_cleanup_free_ char *names = NULL;
	size_t names_size = 0;
	int r = elf_file_section_names(file, &names, &names_size);

	if (r < 0 || (file->machine != EM_X86_64 && file->machine != EM_AARCH64)) {
		*ret_symbols = (struct elf_symbols){0};
		return r == -ENOMEM ? r : 0;
	}
	r = read_sections(&reading, names, names_size);
	if (r < 0)
		return r;
	*ret_symbols = (struct elf_symbols){
		.items = steal_ptr(reading.symbols.items),
		.count = reading.symbols.count,
		.names = steal_ptr(reading.names.items),
		.names_size = reading.names.count,
	};
	return 0;
}
