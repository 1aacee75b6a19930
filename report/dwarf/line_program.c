/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/dwarf/dwarf_internal.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "common/bytes.h"

void line_index_deinit(struct line_index *index)
{
	array_free(&index->ranges);
	array_free(&index->pieces);
	array_free(&index->rows);
}

int line_index_add_range(struct line_index *index, uint64_t low, uint64_t high, uint32_t scope)
{
	if (low >= high)
		return 0;
	return array_push(&index->ranges, (struct line_range){.low = low, .high = high, .scope = scope});
}

static bool same_line(const struct line_row *one, const struct line_row *other)
{
	return one->file == other->file && (one->file == LINE_NO_FILE || one->line == other->line);
}

/* Rows must be added by ascending address; of several with the same address the last one wins. -ENOMEM. */
static int line_index_add_row(struct line_index *index, const struct line_row *row)
{
	size_t count = index->rows.count;

	if (count && index->rows.items[count - 1].address == row->address) {
		index->rows.items[count - 1] = *row;
		if (count > 1 && same_line(&index->rows.items[count - 2], row))
			index->rows.count--;
		return 0;
	}
	if (count && same_line(&index->rows.items[count - 1], row))
		return 0;
	return array_push(&index->rows, *row);
}

/* --- flattening of ranges: a sweep over their starts, with a heap of the open ones --- */

struct sweep {
	struct line_index *index;
	uint32_t *heap; /* numbers of ranges, highest scope on top; ended ones are removed when they reach the top */
	size_t count;
};

static uint32_t scope_at(const struct sweep *sweep, size_t place)
{
	return sweep->index->ranges.items[sweep->heap[place]].scope;
}

static void swap_places(struct sweep *sweep, size_t one, size_t other)
{
	uint32_t kept = sweep->heap[one];

	sweep->heap[one] = sweep->heap[other];
	sweep->heap[other] = kept;
}

static void heap_push(struct sweep *sweep, uint32_t range)
{
	size_t at = sweep->count++;

	sweep->heap[at] = range;
	for (; at && scope_at(sweep, (at - 1) / 2) < scope_at(sweep, at); at = (at - 1) / 2)
		swap_places(sweep, at, (at - 1) / 2);
}

static void heap_pop(struct sweep *sweep)
{
	size_t at = 0;

	sweep->heap[0] = sweep->heap[--sweep->count];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < sweep->count && scope_at(sweep, child + 1) > scope_at(sweep, child))
			child++;
		if (child >= sweep->count || scope_at(sweep, child) <= scope_at(sweep, at))
			return;
		swap_places(sweep, at, child);
		at = child;
	}
}

static int emit(struct line_index *index, uint64_t low, uint32_t scope)
{
	size_t count = index->pieces.count;

	if (count ? index->pieces.items[count - 1].scope == scope : scope == LINE_NO_SCOPE)
		return 0;
	return array_push(&index->pieces, (struct line_piece){.low = low, .scope = scope});
}

static int compare_ranges(const void *left, const void *right)
{
	const struct line_range *l = left, *r = right;

	if (l->low != r->low)
		return l->low < r->low ? -1 : 1;
	return (l->scope > r->scope) - (l->scope < r->scope);
}

/* Each range is pushed once and popped once, and each step starts or ends one. */
static int sweep_ranges(struct sweep *sweep)
{
	const struct line_range *ranges = sweep->index->ranges.items;
	size_t count = sweep->index->ranges.count, next = 0;
	uint64_t at = 0;
	int r = 0;

	while (!r && (next < count || sweep->count)) {
		const struct line_range *top;

		if (!sweep->count && ranges[next].low > at)
			at = ranges[next].low;
		while (next < count && ranges[next].low <= at)
			heap_push(sweep, (uint32_t)next++);
		while (sweep->count && ranges[sweep->heap[0]].high <= at)
			heap_pop(sweep);
		if (!sweep->count) {
			r = emit(sweep->index, at, LINE_NO_SCOPE);
			continue;
		}
		top = &ranges[sweep->heap[0]];
		r = emit(sweep->index, at, top->scope);
		at = next < count && ranges[next].low < top->high ? ranges[next].low : top->high;
	}
	return r;
}

int line_index_lay_out(struct line_index *index)
{
	struct sweep sweep = {.index = index};
	size_t count = index->ranges.count;
	int r = 0;

	if (count >= UINT32_MAX)
		return -ENOMEM;
	if (count) {
		sweep.heap = calloc(count, sizeof(*sweep.heap));
		if (!sweep.heap)
			return -ENOMEM;
		qsort(index->ranges.items, count, sizeof(*index->ranges.items), compare_ranges);
		r = sweep_ranges(&sweep);
	}
	free(sweep.heap);
	array_free(&index->ranges);
	return r;
}

/* --- search --- */

uint32_t line_index_scope(const struct line_index *index, uint64_t address)
{
	const struct line_piece *pieces = index->pieces.items;
	size_t above = SORTED_FIRST(i, index->pieces.count, pieces[i].low > address);

	return above ? pieces[above - 1].scope : LINE_NO_SCOPE;
}

const struct line_row *line_index_row(const struct line_index *index, uint64_t address)
{
	const struct line_row *rows = index->rows.items;
	size_t above = SORTED_FIRST(i, index->rows.count, rows[i].address > address);

	return above && rows[above - 1].file != LINE_NO_FILE ? &rows[above - 1] : NULL;
}

/* --- the result of a line number program: its rows in order, and the paths of its files --- */

static int compare_sequences(const void *left, const void *right)
{
	const struct line_sequence *l = left, *r = right;

	if (l->low != r->low)
		return l->low < r->low ? -1 : 1;
	return (l->first > r->first) - (l->first < r->first);
}

/* Addresses from `end` on belong to another sequence. */
static int add_sequence(const struct line_program *program, const struct line_sequence *sequence,
			uint64_t end, struct line_index *index)
{
	struct line_row gap = {.address = sequence->high, .file = LINE_NO_FILE};
	int r = 0;

	for (size_t i = 0; i < sequence->count && !r; i++) {
		const struct line_row *row = &program->rows.items[sequence->first + i];

		if (row->address >= end || row->address >= gap.address)
			break;
		r = line_index_add_row(index, row);
	}
	return r < 0 || gap.address >= end ? r : line_index_add_row(index, &gap);
}

int line_program_add_rows(struct line_program *program, struct line_index *index)
{
	struct line_sequence *sequences = program->sequences.items;
	size_t count = program->sequences.count;
	int r = 0;

	if (count)
		qsort(sequences, count, sizeof(*sequences), compare_sequences);
	for (size_t i = 0; i < count && !r; i++)
		r = add_sequence(program, &sequences[i],
				 i + 1 < count ? sequences[i + 1].low : UINT64_MAX, index);
	return r;
}

static const char *directory_of(const struct line_program *program, const struct line_file *file)
{
	uint64_t number = file->directory;

	if (program->version < 5 && !number--)
		return "";
	return number < program->directories.count ? program->directories.items[number] : "";
}

char *line_program_path(const struct line_program *program, uint64_t file, const char *directory)
{
	const char *parts[2] = {"", ""}, *name;
	uint64_t number = file - (program->version < 5);
	char *path;

	if (number >= program->files.count)
		return NULL;
	name = program->files.items[number].name;
	if (!name[0])
		return NULL;
	if (name[0] != '/')
		parts[1] = directory_of(program, &program->files.items[number]);
	if (name[0] != '/' && parts[1][0] != '/' && directory)
		parts[0] = directory;
	if (asprintf(&path, "%s%s%s%s%s", parts[0], parts[0][0] ? "/" : "", parts[1],
		     parts[1][0] ? "/" : "", name) < 0)
		return NULL;
	return path;
}

enum { FORMATS_MAX = 255, OPCODES = 256, OFFSET_64 = 8, OFFSET_32 = 4 };

struct reader {
	const struct line_sections *sections;
	struct line_program *program;
	struct byte_cursor cursor; /* of this program */
	size_t offset_size;
	uint8_t least_length, most_operations, line_range, opcode_base;
	int8_t line_base;
	uint8_t lengths[OPCODES]; /* operand counts of standard opcodes */
	line_wanted *wanted;
	const void *context;
};

/* --- the header --- */

static const char *read_string(struct byte_cursor *cursor)
{
	const uint8_t *start = cursor->next,
		      *end = cursor->bad ? NULL : memchr(start, '\0', byte_cursor_left(cursor));

	if (!end) {
		cursor->bad = true;
		return "";
	}
	cursor->next = end + 1;
	return (const char *)start;
}

/* "" if there is no such string. */
static const char *string_at(const struct line_bytes *section, uint64_t offset)
{
	if (!section->bytes || offset >= section->size ||
	    !memchr(section->bytes + offset, '\0', section->size - offset))
		return "";
	return (const char *)section->bytes + offset;
}

struct value { /* of one field of an entry */
	const char *text;
	uint64_t number;
};

static void read_value(struct reader *reader, uint64_t form, struct value *value)
{
	struct byte_cursor *cursor = &reader->cursor;

	switch (form) {
	case DW_FORM_string:
		value->text = read_string(cursor);
		break;
	case DW_FORM_line_strp:
		value->text = string_at(&reader->sections->line_str,
					byte_cursor_uint(cursor, reader->offset_size));
		break;
	case DW_FORM_strp:
		value->text = string_at(&reader->sections->str,
					byte_cursor_uint(cursor, reader->offset_size));
		break;
	case DW_FORM_udata:
		value->number = byte_cursor_varint(cursor);
		break;
	case DW_FORM_data1:
		value->number = byte_cursor_u8(cursor);
		break;
	case DW_FORM_data2:
		value->number = byte_cursor_u16(cursor);
		break;
	case DW_FORM_data4:
		value->number = byte_cursor_u32(cursor);
		break;
	case DW_FORM_data8:
		value->number = byte_cursor_u64(cursor);
		break;
	case DW_FORM_data16:
		(void)byte_cursor_bytes(cursor, 16);
		break;
	case DW_FORM_block:
		(void)byte_cursor_bytes(cursor, byte_cursor_varint(cursor));
		break;
	case DW_FORM_block1:
		(void)byte_cursor_bytes(cursor, byte_cursor_u8(cursor));
		break;
	case DW_FORM_block2:
		(void)byte_cursor_bytes(cursor, byte_cursor_u16(cursor));
		break;
	case DW_FORM_block4:
		(void)byte_cursor_bytes(cursor, byte_cursor_u32(cursor));
		break;
	default:
		cursor->bad = true;
	}
}

struct entry_format {
	uint64_t content, form;
};

static int add_entry(struct line_program *program, bool directory, const struct line_file *file)
{
	return directory ? array_push(&program->directories, file->name) : array_push(&program->files, *file);
}

/* Version 5: the fields of an entry, the number of entries, then the entries. */
static int read_entries(struct reader *reader, bool directories)
{
	struct entry_format formats[FORMATS_MAX];
	struct byte_cursor *cursor = &reader->cursor;
	size_t format_count = byte_cursor_u8(cursor);
	uint64_t count;
	int r = 0;

	for (size_t i = 0; i < format_count; i++) {
		formats[i].content = byte_cursor_varint(cursor);
		formats[i].form = byte_cursor_varint(cursor);
	}
	count = byte_cursor_varint(cursor);
	if (!format_count && count)
		return -EBADMSG;
	for (uint64_t i = 0; i < count && !cursor->bad && !r; i++) {
		struct line_file file = {.name = ""};
		const uint8_t *start = cursor->next;

		for (size_t k = 0; k < format_count; k++) {
			struct value value = {.text = ""};

			read_value(reader, formats[k].form, &value);
			if (formats[k].content == DW_LNCT_path)
				file.name = value.text;
			else if (formats[k].content == DW_LNCT_directory_index)
				file.directory = value.number;
		}
		/* There could be any number of empty entries. */
		r = cursor->next == start ? -EBADMSG : add_entry(reader->program, directories, &file);
	}
	return r < 0 ? r : (cursor->bad ? -EBADMSG : 0);
}

static struct line_file read_old_file(struct byte_cursor *cursor)
{
	struct line_file file = {.name = read_string(cursor)};

	if (file.name[0]) {
		file.directory = byte_cursor_varint(cursor);
		(void)byte_cursor_varint(cursor); /* modification time */
		(void)byte_cursor_varint(cursor); /* its size */
	}
	return file;
}

/* Before version 5: strings up to an empty one. */
static int read_old_entries(struct reader *reader)
{
	struct line_program *program = reader->program;
	struct byte_cursor *cursor = &reader->cursor;
	int r = 0;

	while (!r && !cursor->bad) {
		const char *directory = read_string(cursor);

		if (!directory[0])
			break;
		r = array_push(&program->directories, directory);
	}
	while (!r && !cursor->bad) {
		struct line_file file = read_old_file(cursor);

		if (!file.name[0])
			break;
		r = array_push(&program->files, file);
	}
	return r < 0 ? r : (cursor->bad ? -EBADMSG : 0);
}

/* Reads the length of the unit, which also determines the size of offsets in it. */
static struct byte_cursor take_program(struct byte_cursor *cursor, size_t *ret_offset_size)
{
	uint64_t length = byte_cursor_u32(cursor);
	bool wide = length == UINT32_MAX;

	if (wide)
		length = byte_cursor_u64(cursor);
	*ret_offset_size = wide ? OFFSET_64 : OFFSET_32;
	return byte_cursor_sub(cursor, length);
}

/* Reads the files from the rest of the header; reader->cursor does not move. */
static int read_files(struct reader *reader, const struct byte_cursor *rest)
{
	struct byte_cursor program = reader->cursor;
	int r;

	reader->cursor = *rest;
	if (reader->program->version < 5) {
		r = read_old_entries(reader);
	} else {
		r = read_entries(reader, true);
		if (!r)
			r = read_entries(reader, false);
	}
	reader->cursor = program;
	return r;
}

/* Leaves the cursor at the first operation. */
static int read_header(struct reader *reader, uint64_t offset)
{
	const struct line_bytes *section = &reader->sections->line;
	struct byte_cursor *cursor = &reader->cursor, header;
	uint16_t version;

	if (offset >= section->size)
		return -EBADMSG;
	*cursor = byte_cursor_make(section->bytes + offset, section->size - offset);
	*cursor = take_program(cursor, &reader->offset_size);
	reader->program->version = version = byte_cursor_u16(cursor);
	if (cursor->bad || version < 2 || version > 5)
		return -EBADMSG;
	if (version == 5)
		(void)byte_cursor_bytes(cursor, 2); /* sizes of addresses and segments: not needed */
	header = byte_cursor_sub(cursor, byte_cursor_uint(cursor, reader->offset_size));
	reader->least_length = byte_cursor_u8(&header);
	reader->most_operations = version >= 4 ? byte_cursor_u8(&header) : 1;
	(void)byte_cursor_u8(&header); /* initial value of is_stmt */
	reader->line_base = (int8_t)byte_cursor_u8(&header);
	reader->line_range = byte_cursor_u8(&header);
	reader->opcode_base = byte_cursor_u8(&header);
	for (size_t i = 1; i < reader->opcode_base; i++)
		reader->lengths[i] = byte_cursor_u8(&header);
	if (header.bad || !reader->line_range || !reader->opcode_base || !reader->most_operations)
		return -EBADMSG;
	return read_files(reader, &header);
}

/* --- the program --- */

struct state {
	uint64_t address, file, line;
	uint64_t operation; /* number within an instruction (VLIW) */
	size_t first;	    /* row of the current sequence */
	bool wanted;
};

static void begin_sequence(const struct reader *reader, struct state *state)
{
	*state = (struct state){.file = 1, .line = 1, .first = reader->program->rows.count};
}

static void advance(const struct reader *reader, struct state *state, uint64_t operations)
{
	if (reader->most_operations == 1) {
		state->address += operations * reader->least_length;
		return;
	}
	state->operation += operations;
	state->address += state->operation / reader->most_operations * reader->least_length;
	state->operation %= reader->most_operations;
}

static int add_row(struct reader *reader, struct state *state)
{
	struct line_program *program = reader->program;
	size_t count = program->rows.count;
	uint64_t number = state->file - (program->version < 5);
	struct line_row row = {.address = state->address,
			       .file = number < program->files.count ? (uint32_t)state->file : LINE_NO_FILE,
			       .line = state->line <= UINT32_MAX ? (uint32_t)state->line : 0};

	if (count == state->first)
		state->wanted = reader->wanted(reader->context, state->address);
	else if (program->rows.items[count - 1].address > state->address)
		return 0;
	return array_push(&program->rows, row);
}

static int end_sequence(struct reader *reader, struct state *state)
{
	struct line_program *program = reader->program;
	struct line_sequence sequence = {
		.first = state->first, .count = program->rows.count - state->first, .high = state->address};
	int r = 0;

	if (sequence.count)
		sequence.low = program->rows.items[sequence.first].address;
	if (sequence.count && state->wanted && sequence.high > sequence.low)
		r = array_push(&program->sequences, sequence);
	else
		program->rows.count = state->first;
	begin_sequence(reader, state);
	return r;
}

static int run_extended(struct reader *reader, struct state *state)
{
	struct byte_cursor operation = byte_cursor_sub(&reader->cursor, byte_cursor_varint(&reader->cursor));
	struct line_file file;

	switch (byte_cursor_u8(&operation)) {
	case DW_LNE_end_sequence:
		return operation.bad ? -EBADMSG : end_sequence(reader, state);
	case DW_LNE_set_address:
		if (byte_cursor_left(&operation) > sizeof(uint64_t))
			return -EBADMSG;
		state->address = byte_cursor_uint(&operation, byte_cursor_left(&operation));
		state->operation = 0;
		return 0;
	case DW_LNE_define_file:
		file = read_old_file(&operation);
		return operation.bad ? -EBADMSG : array_push(&reader->program->files, file);
	default:
		return operation.bad ? -EBADMSG : 0;
	}
}

static int run_standard(struct reader *reader, struct state *state, uint8_t opcode)
{
	struct byte_cursor *cursor = &reader->cursor;

	switch (opcode) {
	case 0:
		return run_extended(reader, state);
	case DW_LNS_copy:
		return add_row(reader, state);
	case DW_LNS_advance_pc:
		advance(reader, state, byte_cursor_varint(cursor));
		return 0;
	case DW_LNS_advance_line:
		state->line = (uint32_t)(state->line + (uint64_t)byte_cursor_signed(cursor));
		return 0;
	case DW_LNS_set_file:
		state->file = byte_cursor_varint(cursor);
		return 0;
	case DW_LNS_const_add_pc:
		advance(reader, state, (255 - reader->opcode_base) / reader->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		state->address += byte_cursor_u16(cursor);
		state->operation = 0;
		return 0;
	default: /* columns, statements, blocks: only skip their operands */
		for (size_t i = 0; i < reader->lengths[opcode]; i++)
			(void)byte_cursor_varint(cursor);
		return 0;
	}
}

static int run(struct reader *reader)
{
	struct state state;
	int r = 0;

	begin_sequence(reader, &state);
	while (!r && byte_cursor_left(&reader->cursor)) {
		uint8_t opcode = byte_cursor_u8(&reader->cursor);

		if (opcode >= reader->opcode_base) {
			unsigned int adjusted = (unsigned int)opcode - reader->opcode_base;

			advance(reader, &state, adjusted / reader->line_range);
			state.line = (uint32_t)(state.line + adjusted % reader->line_range +
						(uint64_t)(int64_t)reader->line_base);
			r = add_row(reader, &state);
		} else {
			r = run_standard(reader, &state, opcode);
		}
	}
	reader->program->rows.count = state.first; /* a sequence without an end lacks its last row */
	return r < 0 ? r : (reader->cursor.bad ? -EBADMSG : 0);
}

int line_program_read(const struct line_sections *sections, uint64_t offset, line_wanted *wanted,
		      const void *context, struct line_program *ret_program)
{
	struct reader reader = {.sections = sections, .program = ret_program, .wanted = wanted,
				.context = context};
	int r;

	*ret_program = (struct line_program){0};
	r = read_header(&reader, offset);
	return r < 0 ? r : run(&reader);
}

void line_program_deinit(struct line_program *program)
{
	array_free(&program->directories);
	array_free(&program->files);
	array_free(&program->sequences);
	array_free(&program->rows);
}
