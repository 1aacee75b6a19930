/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/jit_dump.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/byte_cursor.h"
#include "common/cleanup.h"

enum {
	MAGIC = 0x4a695444, /* "JiTD" */
	FILE_HEADER = 40,
	RECORD_HEADER = 16,
	LOAD_BODY = 40,
	MOVE_BODY = 48,
	CODE_LOAD = 0,
	CODE_MOVE = 1,
	WINDOW = 1 << 16, /* what is read of a record at most: its name is no longer */
	MAX_RECORDS = 4 << 20,
	MAX_CODES = 1 << 20,
	MAX_NAME_BYTES = 64 << 20,
};

struct code {
	uint64_t address, size, index; /* the compiler's own number of it */
	uint32_t number;	       /* the place in the file */
	uint32_t name;
	bool moved; /* the name is that of the code with the same index */
};

struct dump {
	int fd;
	ARRAY(struct code) codes;
	ARRAY(char) names;
	uint8_t window[WINDOW];
};

bool jit_dump_is_path(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	if (!name || strncmp(name, "/jit-", 5) != 0)
		return false;
	digits = strspn(name + 5, "0123456789");
	return digits && !strcmp(name + 5 + digits, ".dump");
}

/* --- reading --- */

static int add_name(struct dump *dump, const uint8_t *bytes, size_t length, uint32_t *ret_name)
{
	size_t used = dump->names.count;

	if (used + length + 1 > MAX_NAME_BYTES)
		return -EFBIG;
	if (array_reserve(&dump->names, used + length + 1))
		return -ENOMEM;
	memcpy(dump->names.items + used, bytes, length);
	dump->names.items[used + length] = '\0';
	dump->names.count += length + 1;
	*ret_name = (uint32_t)used;
	return 0;
}

static int add_code(struct dump *dump, struct code *code)
{
	if (dump->codes.count == MAX_CODES)
		return -EFBIG;
	code->number = (uint32_t)dump->codes.count;
	if (!code->size || code->address + code->size < code->address)
		return 0;
	return array_push(&dump->codes, *code);
}

/* pid, tid, vma, code_addr, code_size, code_index, name, code */
static int take_load(struct dump *dump, struct byte_cursor *record)
{
	struct code code = {0};
	size_t length;
	int rc;

	(void)byte_cursor_bytes(record, 16);
	code.address = byte_cursor_u64(record);
	code.size = byte_cursor_u64(record);
	code.index = byte_cursor_u64(record);
	length = record->bad ? 0 : strnlen((const char *)record->next, byte_cursor_left(record));
	if (!length)
		return 0;
	rc = add_name(dump, record->next, length, &code.name);
	return rc ? rc : add_code(dump, &code);
}

/* pid, tid, vma, old_code_addr, new_code_addr, code_size, code_index */
static int take_move(struct dump *dump, struct byte_cursor *record)
{
	struct code code = {.moved = true};

	(void)byte_cursor_bytes(record, 24);
	code.address = byte_cursor_u64(record);
	code.size = byte_cursor_u64(record);
	code.index = byte_cursor_u64(record);
	return record->bad ? 0 : add_code(dump, &code);
}

static ssize_t window_read(struct dump *dump, uint64_t offset, size_t length)
{
	ssize_t got = pread(dump->fd, dump->window, length, (off_t)offset);

	return got < 0 ? -errno : got;
}

/* The record at `offset`: 1 and its size, 0 where the file ends or makes no sense. Most names are short: the code behind is not read. */
static int record_take(struct dump *dump, uint64_t offset, uint32_t *ret_size)
{
	enum { FIRST = 512 };
	ssize_t got = window_read(dump, offset, FIRST);
	struct byte_cursor cursor;
	uint32_t id, size;
	int rc = 0;

	if (got < RECORD_HEADER)
		return got < 0 ? (int)got : 0;
	cursor = byte_cursor_make(dump->window, (size_t)got);
	id = byte_cursor_u32(&cursor);
	size = byte_cursor_u32(&cursor);
	if (size < RECORD_HEADER)
		return 0;
	if (id == CODE_LOAD && size > FIRST && got == FIRST &&
	    !memchr(dump->window + RECORD_HEADER + LOAD_BODY, 0, FIRST - RECORD_HEADER - LOAD_BODY))
		got = window_read(dump, offset, size < WINDOW ? size : WINDOW);
	if (got < RECORD_HEADER)
		return got < 0 ? (int)got : 0;
	cursor = byte_cursor_make(dump->window, (size_t)got < size ? (size_t)got : size);
	(void)byte_cursor_bytes(&cursor, RECORD_HEADER);
	if (id == CODE_LOAD)
		rc = take_load(dump, &cursor);
	else if (id == CODE_MOVE)
		rc = take_move(dump, &cursor);
	*ret_size = size;
	return rc ? rc : 1;
}

static int header_read(struct dump *dump, uint64_t *ret_size)
{
	ssize_t got = window_read(dump, 0, FILE_HEADER);
	struct byte_cursor cursor = byte_cursor_make(dump->window, got > 0 ? (size_t)got : 0);
	uint32_t magic = byte_cursor_u32(&cursor), version = byte_cursor_u32(&cursor);

	*ret_size = byte_cursor_u32(&cursor);
	return cursor.bad || magic != MAGIC || version != 1 || *ret_size < FILE_HEADER ? -ENOEXEC : 0;
}

static int records_read(struct dump *dump)
{
	uint64_t offset = 0;
	uint32_t size = 0;
	int rc = header_read(dump, &offset);

	for (uint32_t i = 0; !rc && i < MAX_RECORDS; i++, offset += size) {
		rc = record_take(dump, offset, &size);
		if (rc <= 0)
			return rc;
		rc = 0;
	}
	return rc;
}

/* --- what is where at the end --- */

static int compare_indexes(const void *left, const void *right)
{
	const struct code *a = left, *b = right;

	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_addresses(const void *left, const void *right)
{
	const struct code *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Code that was moved has the name under which the same index was loaded. */
static void name_moved(struct code *codes, size_t count)
{
	const struct code *loaded = NULL;

	qsort(codes, count, sizeof(*codes), compare_indexes);
	for (size_t i = 0; i < count; i++) {
		if (!codes[i].moved)
			loaded = &codes[i];
		else if (loaded && loaded->index == codes[i].index)
			codes[i].name = loaded->name;
		else
			codes[i].size = 0;
	}
}

static int symbols_make(struct dump *dump, struct elf_symbols *ret_symbols)
{
	struct elf_symbols symbols = {.items = calloc(dump->codes.count + 1, sizeof(*symbols.items))};
	struct code *codes = dump->codes.items;
	size_t count = dump->codes.count;

	if (!symbols.items || array_push(&dump->names, '\0')) {
		free(symbols.items);
		return -ENOMEM;
	}
	if (count) {
		name_moved(codes, count);
		qsort(codes, count, sizeof(*codes), compare_addresses);
	}
	for (size_t i = 0; i < count; i++)
		if (codes[i].size && (i + 1 == count || codes[i + 1].address != codes[i].address))
			symbols.items[symbols.count++] = (struct elf_symbol){.address = codes[i].address,
									     .size = codes[i].size,
									     .name = codes[i].name,
									     .binding = STB_GLOBAL,
									     .type = STT_FUNC};
	symbols.names = dump->names.items;
	symbols.names_size = dump->names.count;
	dump->names.items = NULL;
	*ret_symbols = symbols;
	return 0;
}

int jit_dump_read(int fd, struct elf_symbols *ret_symbols)
{
	struct dump *dump = calloc(1, sizeof(*dump));
	int rc = dump ? 0 : -ENOMEM;

	if (rc)
		return rc;
	dump->fd = fd;
	rc = records_read(dump);
	if (!rc)
		rc = symbols_make(dump, ret_symbols);
	array_free(&dump->codes);
	array_free(&dump->names);
	free(dump);
	return rc;
}
