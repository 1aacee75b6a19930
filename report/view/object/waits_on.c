/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/plural.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/object/wait_objects.h"
#include "report/view/text/object_text.h"

/*
 * Blocked waits by what they were for, who waited, in which call, and what ended those for several
 * descriptors. The largest sum comes first.
 */

/* "   12345.678": ms, to the us. */
static void write_ms(FILE *out, uint64_t ns)
{
	uint64_t us = ns / 1000 + (ns % 1000 >= 500);

	(void)fprintf(out, " %8" PRIu64 ".%03" PRIu64, us / 1000, us % 1000);
}

static void write_comm(FILE *out, const char *comm)
{
	enum { WIDTH = 15, ROOM = 4 * WIDTH + 1 };
	char text[ROOM];

	(void)printable_escape(text, sizeof(text), comm, strlen(comm));
	(void)fprintf(out, "%-*s ", WIDTH, text);
}

static void write_container(FILE *out, const struct profile_cgroup *cgroup)
{
	enum { WIDTH = 12, ROOM = 256 };
	const char *container = profile_container(cgroup);
	char text[ROOM];

	(void)printable_escape(text, sizeof(text), *container ? container : "-", *container ? strlen(container) : 1);
	(void)fprintf(out, "%-*s ", WIDTH, text);
}

static void write_row(const struct view_context *context, const struct wait_objects *objects,
		      const struct wait_object_row *row)
{
	const uint32_t thing = row->alike.wait.object;
	FILE *out = context->out;

	write_ms(out, row->blocked);
	write_ms(out, row->run_queue);
	(void)fprintf(out, " %8zu", row->count);
	write_ms(out, wait_objects_rank(objects, row, 50));
	write_ms(out, wait_objects_rank(objects, row, 99));
	write_ms(out, wait_objects_rank(objects, row, 100));
	(void)fprintf(out, "  %-10s ", thing ? object_kind_name(objects->waits.objects[thing].kind) : "-");
	write_comm(out, objects->names.comms[row->comm]);
	if (objects->containers)
		write_container(out, row->cgroup);
	object_alike_write(out, "", &objects->waits, &row->alike);
	(void)fputc('\n', out);
}

static bool is_shown(const struct view_context *context, const struct wait_objects *objects, size_t number)
{
	const struct view_settings *settings = context->settings;
	const struct wait_object_row *row = &objects->rows[number];

	return (!settings->max_groups || number < settings->max_groups) &&
	       figure_reaches(row->blocked + row->run_queue, objects->weight, settings->min_share);
}

static void print_left(const struct wait_objects *objects, size_t shown, FILE *out)
{
	uint64_t weight = 0;

	for (size_t i = shown; i < objects->row_count; i++)
		weight += objects->rows[i].blocked + objects->rows[i].run_queue;
	if (shown < objects->row_count)
		(void)fprintf(out, "# lines not shown: %zu, %s%% in all\n", objects->row_count - shown,
			      figure_percent(weight, objects->weight).text);
	if (objects->runnable.waits)
		(void)fprintf(out, "# not among them, runnable all the time: %zu wait%s, %s ms\n",
			      objects->runnable.waits, plural(objects->runnable.waits),
			      figure_milliseconds(objects->runnable.weight).text);
	if (objects->unknown.waits)
		(void)fprintf(out, "# not among them, as what they were for is not known: %zu wait%s, %s ms\n",
			      objects->unknown.waits, plural(objects->unknown.waits),
			      figure_milliseconds(objects->unknown.weight).text);
}

static int show_waits_on(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(wait_objects_deinit) struct wait_objects objects;
	FILE *out = context->out;
	size_t shown = 0;
	int r = wait_objects_init(&objects, context, number);

	(void)source;
	if (r < 0)
		return r;
	(void)fputs("# ms of each object; what was waited for longest stands first; "
		    "p50, p99 and longest: of single waits\n", out);
	(void)fprintf(out, "#%12s%13s%9s%13s%13s%13s  %-10s %-15s %s%s\n", "blocked", "run queue", "waits", "p50",
		      "p99", "longest", "kind", "who", objects.containers ? "container    " : "", "what");
	for (; shown < objects.row_count && is_shown(context, &objects, shown); shown++)
		write_row(context, &objects, &objects.rows[shown]);
	print_left(&objects, shown, out);
	return 0;
}

static int parse_kind(struct view_settings *settings, const char *value)
{
	enum object_kind kind = value ? object_kind_find(value) : OBJECT_NONE;

	settings->waits_on = kind;
	if (kind == OBJECT_KINDS)
		return log_error(EINVAL, "--waits-on must be %s, not '%s'", object_kind_names, value);
	return 0;
}

const struct view waits_on_view = {
	VIEW_ARGUMENT("waits-on", "[=KIND]", .help = "what was waited for: files, pipes, sockets ...", .often = true),
	.print = show_waits_on, .parse = parse_kind, .kinds = VIEW_WAITED, .beside = VIEW_WOKEN, .stackless = true,
};
