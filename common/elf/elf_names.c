/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Names of functions that no symbol table has: of PLT entries, and of stripped Go programs. */
#include "common/elf/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/bytes.h"
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

/* --- the table of Go programs --- */

enum {
	MAGIC_1_16 = 0xfffffffa,
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
	HEADER_START = 8, /* offset of the words, after magic, two zeros, quantum and pointer size */
	POINTER = 8,
	TEXT_START = 2, /* number of that word */
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
