/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/point_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/probe/probe_points.h"

static const char *const tracing[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
#define FORBIDDEN "/sys/kernel/debug/kprobes/blacklist"

static int add(struct point_names *names, const char *category, const char *name, uint64_t address)
{
	struct point_name item = {.name = strdup(name),
				  .category = category ? strdup(category) : NULL,
				  .address = address};

	if (item.name && (item.category || !category) && array_push(&names->items, item) >= 0)
		return 0;
	free(item.name);
	free(item.category);
	return -ENOMEM;
}

static int compare_items(const void *left, const void *right)
{
	const struct point_name *l = left, *r = right;
	int order = strcmp(l->name, r->name);

	/* The one with more information comes first, and patterns use it. */
	if (!order && !l->category != !r->category)
		return !l->category ? 1 : -1;
	if (!order && l->category)
		order = strcmp(l->category, r->category);
	return order ? order : (l->address > r->address) - (l->address < r->address);
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static void sort_items(struct point_names *names)
{
	if (names->items.count)
		qsort(names->items.items, names->items.count, sizeof(struct point_name), compare_items);
}

/* --- tracepoints --- */

static bool is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && entry->d_type == DT_DIR;
}

static int read_category(struct point_names *names, const char *events, const char *category)
{
	char path[512];
	const struct dirent *entry;
	DIR *directory;
	int r = 0;

	(void)snprintf(path, sizeof(path), "%s/%s", events, category);
	directory = opendir(path);
	while (directory && !r && (entry = readdir(directory)))
		if (is_shown(entry))
			r = add(names, category, entry->d_name, 0);
	if (directory)
		(void)closedir(directory);
	return r;
}

/* tracefs has a directory for each category, with one for each event. "ftrace" has formats, not tracepoints. */
static int read_events(struct point_names *names, const char *root)
{
	char events[256];
	const struct dirent *entry;
	DIR *directory;
	int r = 0;

	(void)snprintf(events, sizeof(events), "%s/events", root);
	directory = opendir(events);
	if (!directory)
		return -errno;
	while (!r && (entry = readdir(directory)))
		if (is_shown(entry) && strcmp(entry->d_name, "ftrace"))
			r = read_category(names, events, entry->d_name);
	(void)closedir(directory);
	names->categories_known = names->items.count;
	return r;
}

static int take_tracepoint(void *context, const char *name)
{
	return add(context, NULL, name, 0);
}

int point_names_read_tracepoints(struct point_names *names)
{
	int r = -ENOENT;

	for (size_t i = 0; r < 0 && r != -ENOMEM && i < sizeof(tracing) / sizeof(tracing[0]); i++)
		r = read_events(names, tracing[i]);
	if (r != -ENOMEM)
		r = probe_tracepoints(take_tracepoint, names); /* some have no event in tracefs */
	sort_items(names);
	return r;
}

/* --- functions --- */

static int keep_name(struct name_list *names, const char *name)
{
	char *copy = strdup(name);

	if (copy && array_push(names, copy) >= 0)
		return 0;
	free(copy);
	return -ENOMEM;
}

/* One word of each line, by scanf's format. */
static int read_names(const char *path, const char *format, struct name_list *list)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	char line[1024], name[512];
	int r = 0;

	if (!file)
		return -errno;
	while (!r && fgets(line, sizeof(line), file))
		if (sscanf(line, format, name) == 1)
			r = keep_name(list, name);
	return r < 0 || !ferror(file) ? r : -EIO;
}

static void sort_names(struct name_list *names)
{
	if (names->count)
		qsort(names->items, names->count, sizeof(char *), compare_names);
}

static bool has_name(const struct name_list *names, const char *name)
{
	return names->count && bsearch(&name, names->items, names->count, sizeof(char *), compare_names);
}

static int read_permissions(struct point_names *names)
{
	int r = -ENOENT;

	for (size_t i = 0; !names->traceable_known && r != -ENOMEM && i < sizeof(tracing) / sizeof(tracing[0]); i++) {
		char path[256];

		(void)snprintf(path, sizeof(path), "%s/available_filter_functions", tracing[i]);
		r = read_names(path, "%511s", &names->traceable);
		names->traceable_known = !r && names->traceable.count;
	}
	if (r != -ENOMEM)
		r = read_names(FORBIDDEN, "%*s %511s", &names->forbidden);
	sort_names(&names->traceable);
	sort_names(&names->forbidden);
	return r == -ENOMEM ? r : 0;
}

/* Padding before functions, and parts that the compiler split off, are not functions that anybody calls. */
static bool is_function(const char *name)
{
	static const char *const prefixes[] = {"__pfx_", "__cfi_", "__SCT__", "__probestub_", "__ksymtab"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return false;
	return !strstr(name, ".cold") && name[0] != '.';
}

int point_names_read_functions(struct point_names *names)
{
	struct kallsyms table = {0};
	int r = kallsyms_read(&table);

	for (size_t i = 0; !r && i < table.symbols.count; i++) {
		const struct kallsyms_symbol *symbol = &table.symbols.items[i];
		const char *name = table.names.items + symbol->name;

		if (is_function(name))
			r = add(names, NULL, name, symbol->address);
	}
	kallsyms_deinit(&table);
	sort_items(names);
	return r < 0 ? r : read_permissions(names);
}

void point_names_deinit(struct point_names *names)
{
	for (size_t i = 0; i < names->items.count; i++) {
		free(names->items.items[i].name);
		free(names->items.items[i].category);
	}
	for (size_t i = 0; i < names->traceable.count; i++)
		free(names->traceable.items[i]);
	for (size_t i = 0; i < names->forbidden.count; i++)
		free(names->forbidden.items[i]);
	array_free(&names->items);
	array_free(&names->traceable);
	array_free(&names->forbidden);
}

bool point_names_forbidden(const struct point_names *names, const char *function)
{
	return has_name(&names->forbidden, function);
}

bool point_names_traceable(const struct point_names *names, const char *function)
{
	return !names->traceable_known || has_name(&names->traceable, function);
}
