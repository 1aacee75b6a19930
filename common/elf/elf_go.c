/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/elf_go.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/byte_cursor.h"
#include "common/cleanup.h"

enum {
	MAGIC_1_16 = 0xfffffffa,
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
	HEADER_START = 8, /* offset of the words, after magic, two zeros, quantum and pointer size */
	POINTER = 8,
	TEXT_START = 2, /* number of that word */
	NAME_MAX_BYTES = 4096,
	NAME_REUSE_MAX = 4, /* sum of all names, relative to the table's size, which has each once */
	FUNCTIONS_MAX = 4 << 20,
	END_SLACK = 64, /* padding between the last function and the end of the section */
};

/*
 * The pieces of a table. From 1.18 on, fields of the function list have 4 bytes and are offsets
 * from the start of the text.
 */
struct layout {
	uint64_t count; /* of functions */
	uint64_t text;	/* base of addresses */
	bool guessed;	/* the table does not have it */
	size_t field;	/* bytes */
	struct byte_cursor names, functions;
};

/* From the offset in a word of the header to the end. */
static struct byte_cursor piece(const struct elf_go_table *table, uint64_t offset)
{
	if (offset > table->size)
		return (struct byte_cursor){.bad = true};
	return byte_cursor_make(table->bytes + offset, table->size - offset);
}

static int read_layout(const struct elf_go_table *table, struct layout *layout)
{
	struct byte_cursor cursor = byte_cursor_make(table->bytes, table->size);
	uint32_t magic = byte_cursor_u32(&cursor);
	uint64_t words[8];
	bool old = magic == MAGIC_1_16;

	if (!old && magic != MAGIC_1_18 && magic != MAGIC_1_20)
		return -ENOTSUP;
	(void)byte_cursor_u16(&cursor);
	(void)byte_cursor_u8(&cursor);
	if (byte_cursor_u8(&cursor) != POINTER)
		return -ENOTSUP;
	for (size_t i = 0; i < (old ? 7 : 8); i++)
		words[i] = byte_cursor_u64(&cursor);
	if (cursor.bad)
		return -EBADMSG;
	*layout = (struct layout){.count = words[0], .field = old ? POINTER : 4};
	layout->names = piece(table, words[old ? 2 : 3]);
	layout->functions = piece(table, words[old ? 6 : 7]);
	layout->guessed = !old && !words[TEXT_START];
	layout->text = old ? 0 : layout->guessed ? table->text : words[TEXT_START];
	if (layout->names.bad || layout->functions.bad)
		return -EBADMSG;
	/* Two fields for each function, and the end of the last one. */
	if (layout->count > FUNCTIONS_MAX)
		return -E2BIG;
	return (2 * layout->count + 1) * layout->field > byte_cursor_left(&layout->functions) ? -EBADMSG : 0;
}

static uint64_t field_at(const struct layout *layout, uint64_t number)
{
	struct byte_cursor cursor = layout->functions;

	(void)byte_cursor_bytes(&cursor, number * layout->field);
	return byte_cursor_uint(&cursor, layout->field);
}

/*
 * The position in the table of the name of the function described at `offset`: its entry, then the
 * offset of its name.
 */
static bool name_at(const struct elf_go_table *table, const struct layout *layout, uint64_t offset, uint32_t *ret_name,
		    size_t *ret_length)
{
	struct byte_cursor function = layout->functions, names = layout->names;
	uint32_t at;

	if (offset > byte_cursor_left(&function))
		return false;
	(void)byte_cursor_bytes(&function, offset);
	(void)byte_cursor_uint(&function, layout->field);
	at = byte_cursor_u32(&function);
	if (function.bad || at >= byte_cursor_left(&names))
		return false;
	(void)byte_cursor_bytes(&names, at);
	*ret_name = (uint32_t)(names.next - table->bytes);
	*ret_length = strnlen((const char *)names.next, byte_cursor_left(&names));
	return *ret_length < byte_cursor_left(&names) && *ret_length <= NAME_MAX_BYTES;
}

/*
 * For a table without a start: whether it ends where the section does, that is, whether the section
 * has only Go's text.
 */
static bool fits(const struct layout *layout, const struct elf_go_table *table)
{
	uint64_t room = table->text_end - table->text, end = field_at(layout, 2 * layout->count);

	return table->text < table->text_end && end <= room && room - end < END_SLACK;
}

static int check_addresses(const struct layout *layout, const struct elf_go_table *table)
{
	bool relative = layout->field == 4;

	if (!layout->count)
		return -ENOENT;
	if (relative && (!layout->text || (layout->guessed && table->text_end && !fits(layout, table))))
		return -ENOTSUP;
	/* Absolute ones that the dynamic linker would fill in. */
	return !relative && !field_at(layout, 0) ? -ENOTSUP : 0;
}

static int take_functions(const struct elf_go_table *table, const struct layout *layout, struct elf_symbols *symbols)
{
	uint64_t left = NAME_REUSE_MAX * (uint64_t)table->size;

	for (uint64_t i = 0; i < layout->count; i++) {
		uint64_t start = field_at(layout, 2 * i), end = field_at(layout, 2 * i + 2), last;
		size_t length = 0;
		uint32_t name;

		if (!name_at(table, layout, field_at(layout, 2 * i + 1), &name, &length) || start > end ||
		    __builtin_add_overflow(layout->text, end, &last))
			return -EBADMSG;
		if (length > left)
			return -E2BIG;
		left -= length;
		if (length && start < end)
			symbols->items[symbols->count++] = (struct elf_symbol){.address = layout->text + start,
									       .size = end - start,
									       .name = name,
									       .binding = STB_GLOBAL,
									       .type = STT_FUNC};
	}
	return 0;
}

/* Names stay in place: the symbols' names point into a copy of the table. */
int elf_go_parse(const struct elf_go_table *table, struct elf_symbols *ret_symbols)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	struct layout layout = {0};
	int r = read_layout(table, &layout);

	if (!r)
		r = check_addresses(&layout, table);
	if (r < 0)
		return r;
	symbols.items = calloc(layout.count, sizeof(*symbols.items));
	symbols.names = malloc(table->size + 1);
	if (!symbols.items || !symbols.names)
		return -ENOMEM;
	memcpy(symbols.names, table->bytes, table->size);
	symbols.names[table->size] = '\0';
	symbols.names_size = table->size + 1;
	r = take_functions(table, &layout, &symbols);
	if (r < 0)
		return r;
	*ret_symbols = symbols;
	symbols = (struct elf_symbols){0};
	return 0;
}

/* --- start of the text, which position-independent programs only know when loaded --- */

/* The value that the dynamic linker will write to an address, as an address of the file; 0: none. */
static uint64_t relocated(const struct elf_file *elf, uint64_t address)
{
	struct elf_section_bytes section = {0};
	struct byte_cursor cursor;
	uint64_t found = 0;

	if (elf_file_section(elf, ".rela.dyn", ELF_MAX_SECTION_BYTES, &section) < 0)
		return 0;
	cursor = byte_cursor_make(section.bytes, section.size);
	while (!found && byte_cursor_left(&cursor) >= sizeof(Elf64_Rela)) {
		uint64_t where = byte_cursor_u64(&cursor), kind = byte_cursor_u64(&cursor),
			 addend = byte_cursor_u64(&cursor);

		if (where == address && (kind == R_X86_64_RELATIVE || kind == R_AARCH64_RELATIVE))
			found = addend;
	}
	free(section.bytes);
	return found;
}

/* From Go 1.26 on the table does not have the start of the text. */
static void find_text(const struct elf_file *elf, uint64_t address, struct elf_go_table *table)
{
	struct elf_section_bytes text = {0};

	table->text = relocated(elf, address + HEADER_START + TEXT_START * POINTER);
	if (table->text || elf_file_section(elf, ".text", ELF_MAX_SECTION_BYTES, &text) < 0)
		return;
	table->text = text.address;
	table->text_end = text.address + text.size;
	free(text.bytes);
}

int elf_file_go_symbols(const struct elf_file *elf, struct elf_symbols *ret_symbols)
{
	struct elf_section_bytes section = {0};
	struct elf_go_table table;
	int r = elf_file_section(elf, ".gopclntab", ELF_MAX_SECTION_BYTES, &section);

	if (r == -ENOENT)
		r = elf_file_section(elf, ".data.rel.ro.gopclntab", ELF_MAX_SECTION_BYTES, &section);
	if (r < 0)
		return r;
	table = (struct elf_go_table){.bytes = section.bytes, .size = section.size};
	find_text(elf, section.address, &table);
	r = section.compressed ? -EBADMSG : elf_go_parse(&table, ret_symbols);
	free(section.bytes);
	return r;
}
