/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/points.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/options/options.h"
#include "common/unconst.h"
#include "record/host/kallsyms.h"
#include "record/probe/probe.h"

/* --- names: what the kernel offers for tracing, and which of it may be traced, as far as that can be read --- */

struct point_name {
	char *name;	/* "sched_switch", "tcp_sendmsg" */
	char *category; /* of tracepoints: "sched"; NULL: unknown */
	uint64_t address; /* of functions */
};

struct name_list { /* an ARRAY */
	char **items;
	size_t count, capacity;
};

struct point_names {
	ARRAY(struct point_name) items; /* by name, then category or address */
	struct name_list traceable;	/* functions, by name; only if `traceable_known` */
	struct name_list forbidden;	/* functions, by name */
	bool traceable_known, categories_known;
};

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

/* This and the next one add to the names. 0, -EPERM (addresses are hidden), -ENOMEM, -errno. */
static int point_names_read_tracepoints(struct point_names *names)
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

static int point_names_read_functions(struct point_names *names)
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

static void point_names_deinit(struct point_names *names)
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

static bool point_names_forbidden(const struct point_names *names, const char *function)
{
	return has_name(&names->forbidden, function);
}

static bool point_names_traceable(const struct point_names *names, const char *function)
{
	return !names->traceable_known || has_name(&names->traceable, function);
}

struct search { /* of one option */
	const struct record_point *asked;
	const struct point_names *names;
	struct points *points;
	uint32_t source; /* its index */
	char text[256];
	char category[256]; /* of an exact name; "": any */
	const char *name;   /* after the category */
	regex_t regex;
	bool is_regex;
	size_t most, matched, untraceable, beyond;
};

const char *point_text(const struct point *point, char text[static 256])
{
	(void)snprintf(text, 256, "%s%s%s", point->category ? point->category : "",
		       point->category ? ":" : "", point->name);
	return text;
}

static const char *option_of(const struct record_point *asked)
{
	return asked->function ? "--kfunc" : "--trace";
}

static bool is_pattern(const char *text)
{
	return text[0] == '/' || strpbrk(text, "*?[");
}

static int add_point(struct search *search, const struct point_name *found)
{
	struct points *points = search->points;
	struct point point = {
		.name = strdup(found->name),
		.category = found->category ? strdup(found->category) : NULL,
		.address = found->address,
		.source = search->source,
	};

	if (point.name && (point.category || !found->category) && array_push(&points->items, point) >= 0)
		return 0;
	free(point.name);
	free(point.category);
	return -ENOMEM;
}

/* --- one name --- */

static bool is_called(const struct search *search, const struct point_name *item)
{
	if (strcmp(item->name, search->name))
		return false;
	return !search->category[0] || (item->category && !strcmp(item->category, search->category));
}

static int say_unknown(const struct search *search)
{
	struct nearest nearest = nearest_begin(search->name, strlen(search->name));
	const char *what = search->asked->function ? "kernel function" : "tracepoint";

	for (size_t i = 0; i < search->names->items.count; i++)
		nearest_try(&nearest, search->names->items.items[i].name);
	for (size_t i = 0; nearest.name && i < search->names->items.count; i++) {
		const struct point_name *item = &search->names->items.items[i];

		if (item->name == nearest.name && item->category)
			return log_error(ENOENT, "this kernel has no %s '%s'; did you mean '%s:%s'?", what,
					 search->text, item->category, item->name);
	}
	if (nearest.name)
		return log_error(ENOENT, "this kernel has no %s '%s'; did you mean '%s'?", what,
				 search->text, nearest.name);
	return log_error(ENOENT, "this kernel has no %s '%s'", what, search->text);
}

/*
 * Without a list of all tracepoints, only the kernel knows whether a module has one of this name. The most similar name
 * is suggested with the category that was typed, which is not known to be wrong.
 */
static int add_unlisted(struct search *search)
{
	const struct point_name unlisted = {.name = unconst(search->name)};
	struct nearest nearest = nearest_begin(search->name, strlen(search->name));
	struct points *points = search->points;
	int r = add_point(search, &unlisted);
	char *text;

	if (r < 0)
		return r;
	for (size_t i = 0; i < search->names->items.count; i++)
		nearest_try(&nearest, search->names->items.items[i].name);
	if (!nearest.name || !strcmp(nearest.name, search->name))
		return 0;
	if (asprintf(&text, "%s%s%s", search->category, search->category[0] ? ":" : "", nearest.name) < 0)
		return -ENOMEM;
	points->items.items[points->items.count - 1].nearest = text;
	return 0;
}

/* The category does not matter: if it is unknown, the user cannot have asked for one. */
static int find_exact(struct search *search)
{
	const struct point_name *found = NULL;

	for (size_t i = 0; i < search->names->items.count; i++) {
		const struct point_name *item = &search->names->items.items[i];

		if (is_called(search, item) && (!found || (!found->category && item->category)))
			found = item;
	}
	if (!found && !search->asked->function && !search->names->categories_known)
		return add_unlisted(search);
	if (!found)
		return say_unknown(search);
	if (!search->asked->function || !point_names_forbidden(search->names, found->name))
		return add_point(search, found);
	log_warning("cannot trace '%s': the kernel forbids probes there", found->name);
	search->untraceable++;
	return 0;
}

/* --- a pattern --- */

static int compile(struct search *search)
{
	size_t length = strlen(search->text);
	char why[128];
	int r;

	if (search->text[0] != '/')
		return 0;
	if (length < 3 || search->text[length - 1] != '/')
		return log_error(EINVAL, "%s '%s': write a regular expression between slashes, "
				 "such as /^tcp_(send|recv)/", option_of(search->asked), search->text);
	search->text[length - 1] = '\0';
	r = regcomp(&search->regex, search->text + 1, REG_EXTENDED | REG_NOSUB);
	search->text[length - 1] = '/';
	if (r) {
		(void)regerror(r, &search->regex, why, sizeof(why));
		return log_error(EINVAL, "%s '%s': %s", option_of(search->asked), search->text, why);
	}
	search->is_regex = true;
	return 0;
}

/* A pattern with a colon is matched against category:name. */
static bool matches(const struct search *search, const struct point_name *item)
{
	char full[512];
	const char *subject = item->name;

	if (item->category && strchr(search->text, ':')) {
		(void)snprintf(full, sizeof(full), "%s:%s", item->category, item->name);
		subject = full;
	}
	if (search->is_regex)
		return !regexec(&search->regex, subject, 0, NULL, 0);
	return !fnmatch(search->text, subject, 0);
}

static int take_match(struct search *search, size_t place)
{
	const struct point_name *item = &search->names->items.items[place];

	if (place && !strcmp(item->name, item[-1].name)) /* once: if there are several, the kernel chooses */
		return 0;
	search->matched++;
	if (search->asked->function && (point_names_forbidden(search->names, item->name) ||
					!point_names_traceable(search->names, item->name))) {
		search->untraceable++;
		return 0;
	}
	if (search->points->items.count >= search->most) {
		search->beyond++;
		return 0;
	}
	return add_point(search, item);
}

static int find_pattern(struct search *search)
{
	int r = compile(search);

	for (size_t i = 0; !r && i < search->names->items.count; i++)
		if (matches(search, &search->names->items.items[i]))
			r = take_match(search, i);
	if (search->is_regex)
		regfree(&search->regex);
	if (r < 0)
		return r;
	if (!search->matched)
		return log_error(ENOENT, "%s '%s' matches nothing in this kernel", option_of(search->asked),
				 search->text);
	if (search->untraceable || search->beyond)
		log_info("%s '%s' matches %zu: %zu cannot be traced, %zu left out by --max-probes",
			 option_of(search->asked), search->text, search->matched, search->untraceable, search->beyond);
	return 0;
}

/* --- all of them --- */

static int resolve(struct search *search)
{
	struct points *points = search->points;
	struct point_source *source = &points->sources[search->source];
	const char *colon;
	int r;

	if (search->asked->length >= (int)sizeof(search->text))
		return log_error(ENAMETOOLONG, "%s '%.*s': the name is too long", option_of(search->asked),
				 search->asked->length, search->asked->text);
	(void)snprintf(search->text, sizeof(search->text), "%.*s", search->asked->length, search->asked->text);
	*source = (struct point_source){
		.asked = search->asked, .is_set = is_pattern(search->text), .first = (uint32_t)points->items.count};
	search->name = search->text;
	colon = search->asked->function ? NULL : strchr(search->text, ':');
	if (colon && !source->is_set) {
		(void)snprintf(search->category, sizeof(search->category), "%.*s",
			       (int)(colon - search->text), search->text);
		search->name = colon + 1;
	}
	r = source->is_set ? find_pattern(search) : find_exact(search);
	source->count = (uint32_t)points->items.count - source->first;
	return r;
}

static int points_read_names(struct point_names *names, bool functions)
{
	int r = functions ? point_names_read_functions(names) : point_names_read_tracepoints(names);

	if (r == -EPERM)
		return log_error(EPERM, "the kernel hides its functions: run as root, or set "
					"kernel.kptr_restrict to 1 or 0");
	return r < 0 ? log_error(-r, "cannot list what this kernel can trace: %s", strerror(-r)) : 0;
}

/* There are many function names: read only if they are needed. */
static int resolve_kind(const struct record_points *asked, bool functions, struct points *points)
{
	_cleanup_(point_names_deinit) struct point_names names = {0};
	bool known = false;
	int r = 0;

	for (size_t i = 0; !r && i < asked->count; i++) {
		struct search search = {
			.asked = &asked->items[i],
			.names = &names,
			.points = points,
			.source = (uint32_t)i,
			.most = (size_t)asked->most,
		};

		if (asked->items[i].function != functions)
			continue;
		if (!known)
			r = points_read_names(&names, functions);
		known = true;
		if (!r)
			r = resolve(&search);
	}
	return r;
}

int points_resolve(const struct record_points *asked, struct points *ret_points)
{
	int r;

	*ret_points = (struct points){.source_count = (uint32_t)asked->count};
	r = resolve_kind(asked, false, ret_points);
	if (!r)
		r = resolve_kind(asked, true, ret_points);
	if (!r && asked->count && !ret_points->items.count)
		r = log_error(ENOENT, "nothing that --trace and --kfunc name can be traced");
	if (r < 0)
		points_deinit(ret_points);
	return r;
}

void points_deinit(struct points *points)
{
	for (size_t i = 0; i < points->items.count; i++) {
		free(points->items.items[i].name);
		free(points->items.items[i].category);
		free(points->items.items[i].nearest);
	}
	array_free(&points->items);
	points->source_count = 0;
}
