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
#include "common/sorted.h"
#include "format/limits.h"

enum { MAX_BYTES = 64 << 20,
       BLOCK = 1 << 20 };

static int text_read(int fd, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0, room = 0;

	for (;;) {
		size_t before;
		char *grown;
		ssize_t got;

		before = length;
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
		length += strnlen(text + length, (size_t)got);
		if (length < before + (size_t)got)
			break; /* a hole is no text */
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

/* --- which names --- */

struct named { /* a hit; lines count from 1, 0: none */
	size_t line, other;
	unsigned int others; /* names before, since `settled` */
};

static const char *name_of(const struct elf_symbols *symbols, size_t line)
{
	return symbols->names + symbols->items[line - 1].name;
}

static void name_hit(const struct elf_symbols *symbols, size_t line, bool is_new, struct named *named)
{
	bool differs = named->line && strcmp(name_of(symbols, named->line), name_of(symbols, line)) != 0;

	if (!is_new)
		named->others = 0;
	else if (differs)
		named->others++;
	if (differs)
		named->other = named->line;
	named->line = line;
}

static void name_hits(const struct elf_symbols *symbols, const uint64_t *hits, size_t count, uint64_t settled,
		      struct named *named)
{
	for (size_t line = 1; line <= symbols->count; line++) {
		const struct elf_symbol *symbol = &symbols->items[line - 1];

		for (size_t h = SORTED_FIRST(i, count, hits[i] >= symbol->address);
		     h < count && hits[h] - symbol->address < symbol->size; h++)
			name_hit(symbols, line, symbol->name >= settled, &named[h]);
	}
}

/* Appends a name that says what else was there. */
static int name_both(struct elf_symbols *symbols, const struct named *named)
{
	char text[RWK_MAX_STRING + 1], *grown;
	int length;

	if (named->others == 1)
		length = snprintf(text, sizeof(text), "%s or %s", name_of(symbols, named->other),
				  name_of(symbols, named->line));
	else
		length = snprintf(text, sizeof(text), "%s or %u others", name_of(symbols, named->line), named->others);
	length = length < (int)sizeof(text) ? length : (int)sizeof(text) - 1;
	grown = symbols->names_size + sizeof(text) < UINT32_MAX ?
			realloc(symbols->names, symbols->names_size + (size_t)length + 1) : NULL;
	if (!grown)
		return -ENOMEM;
	memcpy(grown + symbols->names_size, text, (size_t)length + 1);
	symbols->names = grown;
	symbols->items[named->line - 1].name = (uint32_t)symbols->names_size;
	symbols->names_size += (size_t)length + 1;
	return 0;
}

/* For each line the hit that it names, of these the one with the most other names; NULL: none. */
static void lines_named(const struct named *named, size_t count, const struct named **lines)
{
	for (size_t h = 0; h < count; h++) {
		const struct named **line = &lines[named[h].line];

		if (named[h].line && (!*line || (*line)->others < named[h].others))
			*line = &named[h];
	}
}

int perf_map_pick(struct elf_symbols *symbols, const uint64_t *hits, size_t count, uint64_t settled)
{
	_cleanup_free_ const struct named **lines = calloc(symbols->count + 1, sizeof(const struct named *));
	_cleanup_free_ struct named *named = calloc(count + 1, sizeof(*named));
	size_t kept = 0;

	if (!named || !lines)
		return -ENOMEM;
	name_hits(symbols, hits, count, settled, named);
	lines_named(named, count, lines);
	for (size_t line = 1; line <= symbols->count; line++)
		if (lines[line] && lines[line]->others && name_both(symbols, lines[line]) < 0)
			return -ENOMEM;
	for (size_t line = 1; line <= symbols->count; line++)
		if (lines[line])
			symbols->items[kept++] = symbols->items[line - 1];
	symbols->count = kept;
	return 0;
}
