/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/elf_go.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/bytes.h"
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
	FRAMES_MAX_BYTES = 32 << 20, /* of call frame information; a table of 100,000 functions has 8 MB */
	FRAME_MAX_BYTES = 1 << 30,
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
	uint8_t quantum; /* bytes of the shortest instruction */
	struct byte_cursor names, functions, values;
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
	uint8_t quantum;

	if (!old && magic != MAGIC_1_18 && magic != MAGIC_1_20)
		return -ENOTSUP;
	(void)byte_cursor_u16(&cursor);
	quantum = byte_cursor_u8(&cursor);
	if (byte_cursor_u8(&cursor) != POINTER)
		return -ENOTSUP;
	for (size_t i = 0; i < (old ? 7 : 8); i++)
		words[i] = byte_cursor_u64(&cursor);
	if (cursor.bad)
		return -EBADMSG;
	*layout = (struct layout){.count = words[0], .field = old ? POINTER : 4, .quantum = quantum};
	layout->names = piece(table, words[old ? 2 : 3]);
	layout->functions = piece(table, words[old ? 6 : 7]);
	layout->values = piece(table, words[old ? 5 : 6]);
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

/* --- frame sizes, as call frame information --- */

/* What is written; -E2BIG when it is too much: tables may share values, so a small file may ask for a lot. */
struct frames {
	ARRAY(uint8_t) bytes;
	int error;
};

static void put_uint(struct frames *frames, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width && !frames->error; i++)
		frames->error = frames->bytes.count == FRAMES_MAX_BYTES ? -E2BIG :
				array_push(&frames->bytes, (uint8_t)(value >> 8 * i));
}

static void put_varint(struct frames *frames, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_uint(frames, value | 0x80, 1);
	put_uint(frames, value, 1);
}

/* Fills the entry that begins at `start` up to a multiple of 8 bytes with DW_CFA_nop, and sets its length. */
static void end_entry(struct frames *frames, size_t start)
{
	uint32_t length;

	while (frames->bytes.count % 8 && !frames->error)
		put_uint(frames, 0, 1);
	if (frames->error)
		return;
	length = (uint32_t)(frames->bytes.count - start - sizeof(length));
	memcpy(frames->bytes.items + start, &length, sizeof(length));
}

/* Version 3, code in bytes, data in words that grow down, the return address in column 16; the CFA is rsp + 8. */
static void put_cie(struct frames *frames)
{
	static const uint8_t cie[] = {3, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x80 | 16, 1};

	put_uint(frames, 0, 4);
	put_uint(frames, UINT32_MAX, 4);
	for (size_t i = 0; i < sizeof(cie); i++)
		put_uint(frames, cie[i], 1);
	end_entry(frames, 0);
}

/*
 * The rows of a function: runs of code in which the stack pointer is as many bytes below the return address. A run is
 * two numbers: the difference to the last distance, which begins at -1, and the length of the code (src/runtime/
 * symtab.go, step()). False: they make no sense.
 */
static bool put_rows(struct frames *frames, const struct layout *layout, struct byte_cursor values, uint64_t size)
{
	int64_t distance = -1;
	uint64_t at = 0, last = 0;

	while (at < size && !frames->error) {
		uint64_t difference = byte_cursor_varint(&values), length;

		if (!difference && at) /* the end; what follows fills up to the next function */
			return !values.bad;
		length = byte_cursor_varint(&values);
		if (values.bad || !length || length > size)
			return false;
		distance += (int64_t)(difference >> 1) ^ -(int64_t)(difference & 1);
		if (distance < 0 || distance > FRAME_MAX_BYTES)
			return false;
		if (at) {
			put_uint(frames, 0x04, 1); /* DW_CFA_advance_loc4 */
			put_uint(frames, at - last, 4);
		}
		put_uint(frames, 0x0e, 1); /* DW_CFA_def_cfa_offset */
		put_varint(frames, (uint64_t)distance + 8);
		last = at;
		at += length * layout->quantum;
	}
	return true;
}

/* A function is described by its entry, its name, the size of its arguments, a place in its code, and its runs. */
static void put_function(struct frames *frames, const struct layout *layout, uint64_t number)
{
	uint64_t start = field_at(layout, 2 * number), end = field_at(layout, 2 * number + 2);
	struct byte_cursor function = layout->functions, values = layout->values;
	size_t before = frames->bytes.count;

	(void)byte_cursor_bytes(&function, field_at(layout, 2 * number + 1));
	(void)byte_cursor_bytes(&function, layout->field + 3 * sizeof(uint32_t));
	(void)byte_cursor_bytes(&values, byte_cursor_u32(&function));
	if (function.bad || values.bad || start >= end || end - start > UINT32_MAX)
		return;
	put_uint(frames, 0, 4);
	put_uint(frames, 0, 4);
	put_uint(frames, layout->text + start, 8);
	put_uint(frames, end - start, 8);
	if (put_rows(frames, layout, values, end - start))
		end_entry(frames, before);
	else
		frames->bytes.count = before;
}

int elf_go_frames(const struct elf_go_table *table, uint8_t **ret_bytes, size_t *ret_size)
{
	struct layout layout = {0};
	struct frames frames = {0};
	int r = read_layout(table, &layout);

	if (!r)
		r = layout.values.bad ? -EBADMSG : check_addresses(&layout, table);
	if (r < 0)
		return r;
	put_cie(&frames);
	for (uint64_t i = 0; i < layout.count && !frames.error; i++)
		put_function(&frames, &layout, i);
	if (frames.error) {
		array_free(&frames.bytes);
		return frames.error;
	}
	*ret_bytes = frames.bytes.items;
	*ret_size = frames.bytes.count;
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

/* The owner frees table->bytes. */
static int read_table(const struct elf_file *elf, struct elf_go_table *ret_table, uint8_t **ret_bytes)
{
	struct elf_section_bytes section = {0};
	int r = elf_file_section(elf, ".gopclntab", ELF_MAX_SECTION_BYTES, &section);

	if (r == -ENOENT)
		r = elf_file_section(elf, ".data.rel.ro.gopclntab", ELF_MAX_SECTION_BYTES, &section);
	if (!r && section.compressed)
		r = -EBADMSG;
	if (r < 0) {
		free(section.bytes);
		return r;
	}
	*ret_table = (struct elf_go_table){.bytes = section.bytes, .size = section.size};
	*ret_bytes = section.bytes;
	find_text(elf, section.address, ret_table);
	return 0;
}

int elf_file_go_symbols(const struct elf_file *elf, struct elf_symbols *ret_symbols)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct elf_go_table table;
	int r = read_table(elf, &table, &bytes);

	return r < 0 ? r : elf_go_parse(&table, ret_symbols);
}

int elf_file_go_frames(const struct elf_file *elf, uint8_t **ret_bytes, size_t *ret_size)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct elf_go_table table;
	int r = elf_file_machine(elf) == EM_X86_64 ? read_table(elf, &table, &bytes) : -ENOTSUP;

	return r < 0 ? r : elf_go_frames(&table, ret_bytes, ret_size);
}
