/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/perf_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

enum { MAX_BYTES = 64 << 20,
       BLOCK = 1 << 20 };

static int text_read(int fd, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0, room = 0;

	for (;;) {
		char *grown;
		ssize_t got;

		if (length + BLOCK >= room) {
			room = room ? room * 2 : 2 * BLOCK;
			grown = room <= 2 * MAX_BYTES ? realloc(text, room) : NULL;
			if (!grown)
				return room <= 2 * MAX_BYTES ? -ENOMEM : -EFBIG;
			text = grown;
		}
		got = pread(fd, text + length, BLOCK, (off_t)length);
		if (got < 0)
			return -errno;
		if (!got)
			break;
		length += (size_t)got;
	}
	text[length] = '\0';
	*ret_length = length;
	*ret_text = steal_ptr(text);
	return 0;
}

static bool line_parse(char *line, const char *text, struct elf_symbol *symbol)
{
	char *end, *name;

	symbol->address = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	symbol->size = strtoull(end, &name, 16);
	if (name == end || *name != ' ' || !name[1] || !symbol->size ||
	    symbol->address + symbol->size < symbol->address)
		return false;
	symbol->name = (uint32_t)(name + 1 - text);
	return true;
}

static size_t lines_count(const char *text, size_t length)
{
	size_t count = 1;

	for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at))); at++)
		count++;
	return count;
}

int perf_map_read(int fd, struct elf_symbols *ret_symbols)
{
	_cleanup_free_ char *text = NULL;
	struct elf_symbols symbols = {0};
	size_t length = 0;
	int rc = text_read(fd, &text, &length);

	if (rc)
		return rc;
	symbols.items = calloc(lines_count(text, length), sizeof(*symbols.items));
	if (!symbols.items)
		return -ENOMEM;
	for (char *line = text, *end; *line; line = end + 1) {
		end = line + strcspn(line, "\n");
		if (!*end)
			break; /* a line that is still being written */
		*end = '\0';
		symbols.count += line_parse(line, text, &symbols.items[symbols.count]);
	}
	symbols.names = steal_ptr(text);
	symbols.names_size = length + 1;
	*ret_symbols = symbols;
	return 0;
}
