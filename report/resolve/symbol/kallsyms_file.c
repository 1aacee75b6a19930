/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/kallsyms_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name;
	size_t length;
	bool module; /* for a kernel module: "... [name]" */
};

/* "ffffffff81000000 T name\t[module]" */
static bool parse_line(const char *line, struct kallsyms_line *ret_line)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);
	size_t length;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	length = strcspn(end + 3, " \t\n");
	*ret_line = (struct kallsyms_line){.address = address,
					   .type = end[1],
					   .name = end + 3,
					   .length = length,
					   .module = strchr(end + 3 + length, '[')};
	return length > 0;
}

static bool is_text(const struct kallsyms_line *line)
{
	return line->length == 5 && !memcmp(line->name, "_text", 5);
}

static FILE *open_text(struct opener *opener, const char *path)
{
	struct opened_file opened;
	FILE *file;

	if (opener_open(opener, OPENER_NAMED, path, &opened) < 0)
		return NULL;
	free(opened.real);
	file = fdopen(opened.fd, "r");
	if (!file)
		(void)close(opened.fd);
	return file;
}

int kallsyms_file_add(struct opener *opener, const char *path, struct symbol_list *list)
{
	_cleanup_fclose_ FILE *file = open_text(opener, path);
	size_t first = list->symbols.count;
	uint64_t text = 0;
	char line[1024];

	if (!file)
		return -ENOENT;
	while (fgets(line, sizeof(line), file)) {
		struct kallsyms_line symbol;
		int r;

		if (!parse_line(line, &symbol) || symbol.module)
			continue;
		if (is_text(&symbol))
			text = symbol.address;
		if (tolower((unsigned char)symbol.type) != 't' && tolower((unsigned char)symbol.type) != 'w')
			continue;
		r = symbol_list_add(list, symbol.address, 0, symbol.name, symbol.length);
		if (r < 0)
			return r;
	}
	for (size_t i = first; i < list->symbols.count; i++)
		list->symbols.items[i].address -= text;
	if (!text)
		list->symbols.count = first;
	return text ? 0 : -ENOENT;
}
