/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/jit_log.h"

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
	WINDOW = 1 << 16, /* the most that is read of a record: no name is longer */
	MAX_RECORDS = 4 << 20,
	MAX_CODES = 1 << 20,
	MAX_NAME_BYTES = 64 << 20,
};

struct code {
	uint64_t address, size, index; /* index: the compiler's own number for it */
	uint32_t number;	       /* its index in the file */
	uint32_t name;
	bool moved; /* the name is that of the code with the same index */
};

struct reading {
	int fd;
	ARRAY(struct code) codes;
	ARRAY(char) names;
	uint8_t window[WINDOW];
};

bool jit_log_is_path(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	if (!name || strncmp(name, "/jit-", 5) != 0)
		return false;
	digits = strspn(name + 5, "0123456789");
	return digits && !strcmp(name + 5 + digits, ".dump");
}

/* --- reading --- */

static int add_name(struct reading *reading, const uint8_t *bytes, size_t length, uint32_t *ret_name)
{
	size_t used = reading->names.count;

	if (used + length + 1 > MAX_NAME_BYTES)
		return -EFBIG;
	if (array_reserve(&reading->names, used + length + 1))
		return -ENOMEM;
	memcpy(reading->names.items + used, bytes, length);
	reading->names.items[used + length] = '\0';
	reading->names.count += length + 1;
	*ret_name = (uint32_t)used;
	return 0;
}

static int add_code(struct reading *reading, struct code *code)
{
	if (reading->codes.count == MAX_CODES)
		return -EFBIG;
	code->number = (uint32_t)reading->codes.count;
	if (!code->size || code->address + code->size < code->address)
		return 0;
	return array_push(&reading->codes, *code);
}

/* pid, tid, vma, code_addr, code_size, code_index, name, code */
static int take_load(struct reading *reading, struct byte_cursor *record)
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
	rc = add_name(reading, record->next, length, &code.name);
	return rc ? rc : add_code(reading, &code);
}

/* pid, tid, vma, old_code_addr, new_code_addr, code_size, code_index */
static int take_move(struct reading *reading, struct byte_cursor *record)
{
	struct code code = {.moved = true};

	(void)byte_cursor_bytes(record, 24);
	code.address = byte_cursor_u64(record);
	code.size = byte_cursor_u64(record);
	code.index = byte_cursor_u64(record);
	return record->bad ? 0 : add_code(reading, &code);
}

static ssize_t window_read(struct reading *reading, uint64_t offset, size_t length)
{
	ssize_t got = pread(reading->fd, reading->window, length, (off_t)offset);

	return got < 0 ? -errno : got;
}

/*
 * Takes the record at `offset`. 1 and its size, 0 if the file ends or makes no sense. Most names
 * are short: the code after the name is not read.
 */
static int record_take(struct reading *reading, uint64_t offset, uint32_t *ret_size)
{
	enum { FIRST = 512 };
	ssize_t got = window_read(reading, offset, FIRST);
	struct byte_cursor cursor;
	uint32_t id, size;
	int rc = 0;

	if (got < RECORD_HEADER)
		return got < 0 ? (int)got : 0;
	cursor = byte_cursor_make(reading->window, (size_t)got);
	id = byte_cursor_u32(&cursor);
	size = byte_cursor_u32(&cursor);
	if (size < RECORD_HEADER)
		return 0;
	if (id == CODE_LOAD && size > FIRST && got == FIRST &&
	    !memchr(reading->window + RECORD_HEADER + LOAD_BODY, 0, FIRST - RECORD_HEADER - LOAD_BODY))
		got = window_read(reading, offset, size < WINDOW ? size : WINDOW);
	if (got < RECORD_HEADER)
		return got < 0 ? (int)got : 0;
	cursor = byte_cursor_make(reading->window, (size_t)got < size ? (size_t)got : size);
	(void)byte_cursor_bytes(&cursor, RECORD_HEADER);
	if (id == CODE_LOAD)
		rc = take_load(reading, &cursor);
	else if (id == CODE_MOVE)
		rc = take_move(reading, &cursor);
	*ret_size = size;
	return rc ? rc : 1;
}

static int header_read(struct reading *reading, uint64_t *ret_size)
{
	ssize_t got = window_read(reading, 0, FILE_HEADER);
	struct byte_cursor cursor = byte_cursor_make(reading->window, got > 0 ? (size_t)got : 0);
	uint32_t magic = byte_cursor_u32(&cursor), version = byte_cursor_u32(&cursor);

	*ret_size = byte_cursor_u32(&cursor);
	return cursor.bad || magic != MAGIC || version != 1 || *ret_size < FILE_HEADER ? -ENOEXEC : 0;
}

static int records_read(struct reading *reading)
{
	uint64_t offset = 0;
	uint32_t size = 0;
	int rc = header_read(reading, &offset);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < MAX_RECORDS; i++, offset += size) {
		rc = record_take(reading, offset, &size);
		if (rc <= 0)
			return rc;
	}
	return -EFBIG; /* the latest records, which count most, are missing */
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

/* Moved code keeps the name under which the same index was loaded. */
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

static int symbols_make(struct reading *reading, struct elf_symbols *ret_symbols)
{
	struct elf_symbols symbols = {.items = calloc(reading->codes.count + 1, sizeof(*symbols.items))};
	struct code *codes = reading->codes.items;
	size_t count = reading->codes.count;

	if (!symbols.items || array_push(&reading->names, '\0')) {
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
	symbols.names = reading->names.items;
	symbols.names_size = reading->names.count;
	reading->names.items = NULL;
	*ret_symbols = symbols;
	return 0;
}

int jit_log_read(int fd, struct elf_symbols *ret_symbols)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int rc = reading ? 0 : -ENOMEM;

	if (rc)
		return rc;
	reading->fd = fd;
	rc = records_read(reading);
	if (!rc)
		rc = symbols_make(reading, ret_symbols);
	array_free(&reading->codes);
	array_free(&reading->names);
	free(reading);
	return rc;
}
