/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/sorted.h"
#include "record/machine/arch_kernel.h"

struct line { /* "ffffffff81000000 T _stext" or "... t name<TAB>[module]" */
	uint64_t address;
	char type;
	char name[512], module[56];
};

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static const char *field_end(const char *text)
{
	return text + strcspn(text, " \t\n");
}

static bool field_copy(const char *text, const char *end, char *out, size_t room)
{
	size_t length = (size_t)(end - text);

	if (!length || length >= room)
		return false;
	memcpy(out, text, length);
	out[length] = '\0';
	return true;
}

/* Parsed by hand: 120,000 lines through sscanf take longer than everything else at the start. */
static bool line_parse(const char *text, struct line *line)
{
	const char *end = text, *module;

	line->address = 0;
	line->module[0] = '\0';
	for (int digit; (digit = digit_value(*end)) >= 0; end++)
		line->address = line->address << 4 | (uint64_t)digit;
	if (end == text || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	line->type = end[1];
	text = end + 3;
	end = field_end(text);
	if (!field_copy(text, end, line->name, sizeof(line->name)))
		return false;
	module = strchr(end, '[');
	return !module ||
	       field_copy(module + 1, module + strcspn(module, "]"), line->module, sizeof(line->module));
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Those that begin with "__" are made by macros, for the kernel's own sections and tables. */
static bool is_variable(const struct line *line)
{
	return line->type && strchr("dDbB", line->type) && !line->module[0] && strncmp(line->name, "__", 2) != 0;
}

static int names_add(struct kallsyms *table, const char *name, uint32_t *ret_offset)
{
	size_t length = strlen(name) + 1;
	int rc = array_reserve(&table->names, table->names.count + length);

	if (rc)
		return rc;
	*ret_offset = (uint32_t)table->names.count;
	memcpy(table->names.items + table->names.count, name, length);
	table->names.count += length;
	return 0;
}

static int modules_add(struct kallsyms *table, const char *name, uint64_t base, uint64_t end)
{
	struct kallsyms_module module = {.base = base, .end = end};

	(void)snprintf(module.name, sizeof(module.name), "%s", name);
	return array_push(&table->modules, module);
}

/* name size refcount users state 0xbase */
static int modules_read(struct kallsyms *table)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/modules", "re");
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
static uint32_t module_index(const struct kallsyms *table, const char *name, uint32_t last)
{
	if (!name[0])
		return 0;
	if (last && !strcmp(table->modules.items[last].name, name))
		return last;
	for (uint32_t i = 1; i < table->modules.count; i++)
		if (!strcmp(table->modules.items[i].name, name))
			return i;
	return 0;
}

static int run_time_add(struct kallsyms *table, const struct line *line)
{
	struct kallsyms_bpf entry = {.address = line->address, .is_trampoline = strcmp(line->module, "bpf") != 0};
	int rc = names_add(table, line->name, &entry.name);

	return rc ? rc : array_push(&table->run_time, entry);
}

static void bounds_take(struct kallsyms_module *kernel, const struct line *line)
{
	if (!strcmp(line->name, "_text"))
		kernel->base = line->address;
	if (!strcmp(line->name, "_stext") && !kernel->base)
		kernel->base = arch_kernel_text(line->address);
	if (!strcmp(line->name, "_etext"))
		kernel->end = line->address;
}

static int line_add(struct kallsyms *table, const struct line *line, uint32_t *last_module)
{
	struct kallsyms_symbol symbol = {.address = line->address};
	int rc;

	if (!line->module[0])
		bounds_take(&table->modules.items[0], line);
	if (is_variable(line)) {
		rc = names_add(table, line->name, &symbol.name);
		return rc ? rc : array_push(&table->variables, symbol);
	}
	if (!is_text(line->type) || line->name[0] == '$') /* $x, $d: mark where an arm64 module's code and data begin */
		return 0;
	if (!strcmp(line->module, "bpf") || !strncmp(line->module, "__builtin__", 11))
		return run_time_add(table, line);
	symbol.module = module_index(table, line->module, *last_module);
	if (line->module[0] && !symbol.module)
		return 0; /* unloaded while we read */
	*last_module = symbol.module;
	rc = names_add(table, line->name, &symbol.name);
	return rc ? rc : array_push(&table->symbols, symbol);
}

/*
 * By address. Symbols at one address keep the order of the file, which has the global name after
 * its local aliases, by name offset.
 */
static int symbol_compare(const void *left, const void *right)
{
	const struct kallsyms_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static int lines_read(struct kallsyms *table, FILE *file)
{
	_cleanup_free_ char *text = NULL;
	uint32_t last_module = 0;
	bool shown = false;
	size_t room = 0;
	struct line line;
	int rc = 0;

	while (!rc && getline(&text, &room, file) > 0) {
		if (!line_parse(text, &line))
			continue;
		shown |= line.address != 0 && is_text(line.type);
		rc = line.address ? line_add(table, &line, &last_module) : 0;
	}
	if (rc)
		return rc;
	if (!table->modules.items[0].base) /* its addresses are relative to nothing and are not used */
		table->modules.items[0].end = 0;
	return shown ? 0 : -EPERM;
}

int kallsyms_read(struct kallsyms *table)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	int rc;

	if (!file)
		return -errno;
	table->symbols.count = table->modules.count = table->run_time.count = table->names.count = 0;
	table->variables.count = 0;
	rc = modules_add(table, "[kernel]", 0, 0);
	if (!rc)
		rc = modules_read(table);
	if (!rc)
		rc = lines_read(table, file);
	if (!rc && table->symbols.count)
		qsort(table->symbols.items, table->symbols.count, sizeof(struct kallsyms_symbol), symbol_compare);
	if (!rc && table->variables.count)
		qsort(table->variables.items, table->variables.count, sizeof(struct kallsyms_symbol), symbol_compare);
	return rc;
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
