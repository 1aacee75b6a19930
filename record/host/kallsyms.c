/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "record/host/arch_kernel.h"

enum { BUFFER_SIZE = 1 << 16 };

struct text {
	const char *start;
	size_t length;
};

struct line { /* "ffffffff81000000 T _stext" or "... t name<TAB>[module]" */
	uint64_t address;
	char type;
	struct text name, module; /* in the line */
};

static bool is_word(struct text text, const char *word)
{
	return text.length == strlen(word) && !memcmp(text.start, word, text.length);
}

static bool begins(struct text text, const char *word)
{
	return text.length >= strlen(word) && !memcmp(text.start, word, strlen(word));
}

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Up to one of the two characters, or to the end. */
static struct text word_at(const char *start, const char *end, char stop, char other)
{
	const char *at = start;

	while (at < end && *at != stop && *at != other)
		at++;
	return (struct text){start, (size_t)(at - start)};
}

/* Parsed by hand, in the buffer that was read into: there are 120,000 lines, and the recording's start waits for it. */
static bool line_parse(struct text text, struct line *line)
{
	const char *const end = text.start + text.length, *at = text.start;
	struct text rest;

	line->address = 0;
	for (int digit; at < end && (digit = digit_value(*at)) >= 0; at++)
		line->address = line->address << 4 | (uint64_t)digit;
	if (at == text.start || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	line->type = at[1];
	line->name = word_at(at + 3, end, ' ', '\t');
	line->module = (struct text){end, 0};
	rest = word_at(line->name.start + line->name.length, end, '[', '[');
	at = rest.start + rest.length;
	if (at == end)
		return line->name.length > 0;
	line->module = word_at(at + 1, end, ']', ']');
	return line->name.length && line->module.length;
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Names that begin with "__" are made by macros, for the kernel's own sections and tables. */
static bool is_variable(const struct line *line)
{
	return line->type && strchr("dDbB", line->type) && !line->module.length && !begins(line->name, "__");
}

static int names_add(struct kallsyms *table, struct text name, uint32_t *ret_offset)
{
	int rc = array_reserve(&table->names, table->names.count + name.length + 1);

	if (rc)
		return rc;
	*ret_offset = (uint32_t)table->names.count;
	memcpy(table->names.items + table->names.count, name.start, name.length);
	table->names.items[table->names.count + name.length] = '\0';
	table->names.count += name.length + 1;
	return 0;
}

static int modules_add(struct kallsyms *table, const char *name, uint64_t base, uint64_t end)
{
	struct kallsyms_module module = {.base = base, .end = end};

	(void)snprintf(module.name, sizeof(module.name), "%s", name);
	return array_push(&table->modules, module);
}

/* name size refcount users state 0xbase */
static int modules_read(struct kallsyms *table, const char *path)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	uint64_t size, base;
	char text[1024], name[56];

	while (file && fgets(text, sizeof(text), file)) {
		if (sscanf(text, "%55s %lu %*s %*s %*s 0x%lx", name, &size, &base) != 3 || !base)
			continue;
		if (modules_add(table, name, base, base + size))
			return -ENOMEM;
	}
	return 0; /* a kernel without modules has no such file */
}

/* FNV-1a over the names and bases; the columns between them are use counts, which change. */
uint64_t kallsyms_modules_mark(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/modules", "re");
	uint64_t mark = 0, base;
	char text[1024], name[56];

	while (file && fgets(text, sizeof(text), file)) {
		if (sscanf(text, "%55s %*s %*s %*s %*s 0x%lx", name, &base) != 2)
			continue;
		for (const char *at = name; *at; at++)
			mark = (mark ^ (uint8_t)*at) * 0x100000001b3u;
		mark = (mark ^ base) * 0x100000001b3u;
	}
	return mark;
}

/* Symbols of one module are consecutive, so the last answer is nearly always right. */
static uint32_t module_index(const struct kallsyms *table, struct text name, uint32_t last)
{
	if (!name.length)
		return 0;
	if (last && is_word(name, table->modules.items[last].name))
		return last;
	for (uint32_t i = 1; i < table->modules.count; i++)
		if (is_word(name, table->modules.items[i].name))
			return i;
	return 0;
}

static int run_time_add(struct kallsyms *table, const struct line *line)
{
	struct kallsyms_bpf entry = {.address = line->address, .is_trampoline = !is_word(line->module, "bpf")};
	int rc = names_add(table, line->name, &entry.name);

	return rc ? rc : array_push(&table->run_time, entry);
}

static void bounds_take(struct kallsyms_module *kernel, const struct line *line)
{
	if (is_word(line->name, "_text"))
		kernel->base = line->address;
	if (is_word(line->name, "_stext") && !kernel->base)
		kernel->base = arch_kernel_text(line->address);
	if (is_word(line->name, "_etext"))
		kernel->end = line->address;
}

static int line_add(struct kallsyms *table, const struct line *line, uint32_t *last_module)
{
	struct kallsyms_symbol symbol = {.address = line->address};
	int rc;

	if (!line->module.length)
		bounds_take(&table->modules.items[0], line);
	if (is_variable(line)) {
		rc = names_add(table, line->name, &symbol.name);
		return rc ? rc : array_push(&table->variables, symbol);
	}
	if (!is_text(line->type) || begins(line->name, "$")) /* $x, $d: where an arm64 module's code and data begin */
		return 0;
	if (is_word(line->module, "bpf") || begins(line->module, "__builtin__"))
		return run_time_add(table, line);
	symbol.module = module_index(table, line->module, *last_module);
	if (line->module.length && !symbol.module)
		return 0; /* unloaded while we read */
	*last_module = symbol.module;
	rc = names_add(table, line->name, &symbol.name);
	return rc ? rc : array_push(&table->symbols, symbol);
}

/*
 * By address. Symbols at one address keep the order of the file, by name offset: the file has the
 * global name after its local aliases.
 */
static int symbol_compare(const void *left, const void *right)
{
	const struct kallsyms_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* The file has the kernel's own symbols in order, then those of modules, in no order. */
static void sort_symbols(struct kallsyms_symbol *items, size_t count)
{
	size_t sorted = 1;

	while (sorted < count && symbol_compare(&items[sorted - 1], &items[sorted]) <= 0)
		sorted++;
	if (sorted >= count)
		return;
	qsort(items + sorted, count - sorted, sizeof(*items), symbol_compare);
	if (symbol_compare(&items[sorted - 1], &items[sorted]) > 0)
		qsort(items, count, sizeof(*items), symbol_compare);
}

struct reading {
	struct kallsyms *table;
	uint32_t last_module;
	bool shown; /* the kernel shows addresses */
};

/* Takes the complete lines; returns the number of their bytes, or -ENOMEM. */
static ssize_t lines_take(struct reading *reading, const char *text, size_t length)
{
	const char *const end = text + length, *at = text, *newline;
	struct line line;

	for (; (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
		if (!line_parse((struct text){at, (size_t)(newline - at)}, &line) || !line.address)
			continue;
		reading->shown |= is_text(line.type);
		if (line_add(reading->table, &line, &reading->last_module))
			return -ENOMEM;
	}
	return at - text;
}

static int lines_read(struct kallsyms *table, int fd)
{
	struct reading reading = {.table = table};
	_cleanup_free_ char *buffer = malloc(BUFFER_SIZE);
	size_t kept = 0;
	ssize_t got, taken;

	if (!buffer)
		return -ENOMEM;
	while ((got = read(fd, buffer + kept, BUFFER_SIZE - kept)) > 0) {
		kept += (size_t)got;
		taken = lines_take(&reading, buffer, kept);
		if (taken < 0)
			return (int)taken;
		kept -= (size_t)taken;
		memmove(buffer, buffer + taken, kept);
	}
	if (got < 0)
		return -errno;
	if (!table->modules.items[0].base) /* its addresses are relative to nothing and are not used */
		table->modules.items[0].end = 0;
	return reading.shown ? 0 : -EPERM;
}

int kallsyms_read_from(struct kallsyms *table, const char *symbols, const char *modules)
{
	_cleanup_close_ int fd = open(symbols, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	table->symbols.count = table->modules.count = table->run_time.count = table->names.count = 0;
	table->variables.count = 0;
	rc = modules_add(table, "[kernel]", 0, 0);
	if (!rc)
		rc = modules_read(table, modules);
	if (!rc)
		rc = lines_read(table, fd);
	if (rc)
		return rc;
	sort_symbols(table->symbols.items, table->symbols.count);
	sort_symbols(table->variables.items, table->variables.count);
	return 0;
}

int kallsyms_read(struct kallsyms *table)
{
	return kallsyms_read_from(table, "/proc/kallsyms", "/proc/modules");
}

void kallsyms_deinit(struct kallsyms *table)
{
	array_free(&table->symbols);
	array_free(&table->variables);
	array_free(&table->modules);
	array_free(&table->run_time);
	array_free(&table->names);
}

const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *table, uint64_t address)
{
	const struct kallsyms_symbol *items = table->symbols.items;
	size_t above = SORTED_FIRST(i, table->symbols.count, items[i].address > address);
	const struct kallsyms_module *module;

	if (!above)
		return NULL;
	module = &table->modules.items[items[above - 1].module];
	return address >= module->base && address < module->end ? &items[above - 1] : NULL;
}

const char *kallsyms_variable(const struct kallsyms *table, uint64_t address)
{
	const struct kallsyms_symbol *items = table->variables.items;
	size_t above = SORTED_FIRST(i, table->variables.count, items[i].address > address);

	return above && items[above - 1].address == address ? table->names.items + items[above - 1].name : NULL;
}

uint64_t kallsyms_size(const struct kallsyms *table, const struct kallsyms_symbol *symbol)
{
	const struct kallsyms_symbol *end = table->symbols.items + table->symbols.count;
	const struct kallsyms_symbol *next = symbol + 1;
	uint64_t limit = table->modules.items[symbol->module].end;

	while (next < end && next->address == symbol->address)
		next++;
	return (next < end && next->address < limit ? next->address : limit) - symbol->address;
}
