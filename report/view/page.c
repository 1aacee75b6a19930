/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_waits.h"
#include "report/view/wait_text.h"

static const char plain[] = "\033[0m", bold[] = "\033[1m";

static const struct share_color {
	uint64_t share; /* millionths */
	const char *start;
} share_colors[] = {{50000, "\033[31m"}, {5000, "\033[32m"}, {0, ""}};

void paint_percent(FILE *out, bool color, uint64_t part, uint64_t whole)
{
	const struct share_color *row = share_colors;

	while (!figure_reaches(part, whole, row->share))
		row++;
	(void)fprintf(out, "%s%s%%%s", color ? row->start : "", figure_percent(part, whole).text,
		      color && row->share ? plain : "");
}

void paint_heading(FILE *out, bool color, const char *text)
{
	(void)fprintf(out, "%s%s%s", color ? bold : "", text, color ? plain : "");
}

/* --- wrap --- */

enum { LEAST_ROOM = 16 };

/* Bytes of the next character; in a text that is not UTF-8, each byte is one. */
static size_t character_bytes(const char *text)
{
	size_t bytes = 1;

	while (((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes++;
	return bytes;
}

/* Bytes of an escape that changes the colour ("ESC [ 31 m"), if the text begins with one. */
static size_t colour_bytes(const char *text)
{
	size_t bytes = strlen("\033[");

	if (strncmp(text, "\033[", bytes) != 0)
		return 0;
	bytes += strspn(text + bytes, "0123456789;");
	return text[bytes] == 'm' ? bytes + 1 : 0;
}

/* Bytes of the first `room` characters, or of all. */
static size_t bytes_of(const char *text, size_t room)
{
	size_t bytes = 0, colour;

	while (text[bytes]) {
		colour = colour_bytes(text + bytes);
		if (!colour && !room--)
			break;
		bytes += colour ? colour : character_bytes(text + bytes);
	}
	return bytes;
}

/* Columns are separated by two blanks; if possible, lines are broken there, so that columns stay whole. */
static size_t break_between_columns(const char *text, size_t least, size_t bytes)
{
	for (size_t at = bytes; at > least; at--)
		if (text[at - 1] == ' ' && text[at - 2] == ' ')
			return at;
	return 0;
}

/* Where to break: after the last blank of the second half, or another separator there, else where the room ends. */
static size_t break_at(const char *text, size_t room)
{
	static const char *const separators[] = {" ", ",;<(/"};
	size_t least = bytes_of(text, room / 2), bytes = bytes_of(text, room);
	size_t between = break_between_columns(text, least, bytes);

	if (between)
		return between;
	if (text[bytes] == ' ')
		return bytes + 1;
	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++)
		for (size_t at = bytes; at > least; at--)
			if (strchr(separators[i], text[at - 1]))
				return at;
	return bytes;
}

/* The length without blanks at the end. */
static size_t without_blanks(const char *text, size_t bytes)
{
	while (bytes && text[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

/* The first line begins at column `first`, all others at `column`. */
static void fold(FILE *out, const char *text, size_t first, size_t column, size_t width)
{
	size_t at = first;

	while (width >= column + LEAST_ROOM && width >= at + LEAST_ROOM) {
		size_t bytes = bytes_of(text, width - at);

		if (!text[bytes])
			break;
		bytes = break_at(text, width - at);
		(void)fprintf(out, "%.*s\n%*s", (int)without_blanks(text, bytes), text, (int)column, "");
		text += bytes;
		at = column;
	}
	(void)fputs(text, out);
}

void wrap_write(FILE *out, const char *text, size_t column, size_t width)
{
	fold(out, text, column, column, width);
}

FILE *wrap_begin(struct wrap *wrap, FILE *out, size_t column, size_t width)
{
	*wrap = (struct wrap){.out = out, .text = out, .column = column, .width = width};
	if (width)
		wrap->text = open_memstream(&wrap->bytes, &wrap->size);
	return wrap->text;
}

int wrap_end(struct wrap *wrap)
{
	int r = 0;

	if (wrap->text != wrap->out) {
		r = fclose(wrap->text) ? -ENOMEM : 0;
		if (!r)
			fold(wrap->out, wrap->bytes, 0, wrap->column, wrap->width);
		free(wrap->bytes);
	}
	(void)fputc('\n', wrap->out);
	return r;
}

/* --- probe totals --- */

/* The probes of a source are adjacent. */
static const struct profile_probe *find_probes(const struct profile *profile, uint32_t source,
					       size_t *ret_count)
{
	const struct profile_probe *probes, *first = NULL;
	size_t all = profile_probes(profile, &probes), count = 0;

	for (size_t i = 0; i < all; i++) {
		if (probes[i].source != source)
			continue;
		first = first ? first : &probes[i];
		count++;
	}
	*ret_count = count;
	return first;
}

/* The number of probes of the source. */
static size_t probe_totals_count(const struct profile *profile, uint32_t source)
{
	size_t count;

	(void)find_probes(profile, source, &count);
	return count;
}

static int compare_hits(const void *left, const void *right)
{
	const struct profile_probe *l = *(const struct profile_probe *const *)left;
	const struct profile_probe *r = *(const struct profile_probe *const *)right;

	return COMPARE(r->hits, l->hits) ?: COMPARE(r->events, l->events) ?: strcmp(l->name, r->name);
}

/* "246.8/s" */
static struct figure rate(uint64_t hits, uint64_t ns)
{
	__uint128_t tenths = ns ? ((__uint128_t)hits * 10 * SECOND + ns / 2) / ns : 0;
	struct figure figure;

	(void)snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%u/s",
		       (uint64_t)(tenths / 10), (unsigned int)(tenths % 10));
	return figure;
}

static bool was_hit(const struct profile_probe *probe)
{
	return probe->hits || probe->missed || probe->events;
}

/* The hits without events, and the number of events after the filters. */
static void write_rest(const struct profile_probe *probe, FILE *out)
{
	if (probe->missed)
		(void)fprintf(out, "; %" PRIu64 " more were missed by the kernel", probe->missed);
	if (probe->samples != probe->events)
		(void)fprintf(out, "; %" PRIu64 " of the events pass the filters", probe->samples);
	(void)fputc('\n', out);
}

/* "1000 hits, 200.0/s: 950 events, 30 skipped by --rate-limit, 20 lost; 7 more were missed by the kernel" */
static void write_totals(const struct profile_probe *probe, FILE *out)
{
	uint64_t recorded = probe->hits > probe->skipped ? probe->hits - probe->skipped : 0;

	(void)fputs(": ", out);
	if (!probe->counted) {
		(void)fprintf(out, "%" PRIu64 " event%s; how many hits there were is not known", probe->events,
			      plural(probe->events));
		write_rest(probe, out);
		return;
	}
	(void)fprintf(out, "%" PRIu64 " hit%s", probe->hits, plural(probe->hits));
	if (probe->duration)
		(void)fprintf(out, ", %s", rate(probe->hits, probe->duration).text);
	if (probe->skipped || probe->events != recorded)
		(void)fprintf(out, ": %" PRIu64 " event%s", probe->events, plural(probe->events));
	if (probe->skipped)
		(void)fprintf(out, ", %" PRIu64 " skipped by --rate-limit", probe->skipped);
	if (probe->events < recorded)
		(void)fprintf(out, ", %" PRIu64 " lost", recorded - probe->events);
	if (probe->events > recorded)
		(void)fprintf(out, ", %" PRIu64 " of them after the last count", probe->events - recorded);
	write_rest(probe, out);
}

static void add(struct profile_probe *sum, const struct profile_probe *probe)
{
	sum->hits += probe->hits;
	sum->skipped += probe->skipped;
	sum->missed += probe->missed;
	sum->events += probe->events;
	sum->samples += probe->samples;
	sum->counted &= probe->counted;
	if (probe->duration > sum->duration)
		sum->duration = probe->duration;
}

static void write_probes(const struct profile_source *source,
			 const struct profile_probe *const *probes, size_t count, FILE *out)
{
	struct profile_probe sum = {.counted = true};
	size_t idle = 0;

	for (size_t i = 0; i < count; i++) {
		add(&sum, probes[i]);
		idle += !was_hit(probes[i]);
		if (!was_hit(probes[i]) && count > 1)
			continue;
		(void)fputs("# ", out);
		printable_write(out, probes[i]->name, strlen(probes[i]->name));
		write_totals(probes[i], out);
	}
	if (count == 1)
		return;
	if (idle)
		(void)fprintf(out, "# not hit: %zu of them\n", idle);
	(void)fputs("# ", out);
	printable_write(out, source->name, strlen(source->name));
	(void)fprintf(out, ", all %zu", count);
	write_totals(&sum, out);
}

int probe_totals_write(const struct view_context *context, uint32_t source, FILE *out)
{
	const struct profile_source *sources;
	_cleanup_free_ const struct profile_probe **order = NULL;
	const struct profile_probe *probes;
	size_t count;

	probes = find_probes(context->profile, source, &count);
	(void)profile_sources(context->profile, &sources);
	if (!count || (context->settings->filters[0] && !sources[source].samples))
		return 0;
	order = calloc(count, sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		order[i] = &probes[i];
	qsort(order, count, sizeof(*order), compare_hits);
	write_probes(&sources[source], order, count, out);
	return 0;
}

/* --- page --- */

enum { NOTE_TEXT = 2048 };

const char *page_kind_name(enum profile_source_kind kind)
{
	static const char *const names[PROFILE_SOURCE_KINDS] = {
		"cpu", "offcpu", "wakers", "tracepoint", "kfunc", "tasks"};

	return kind < PROFILE_SOURCE_KINDS ? names[kind] : "unknown";
}

uint64_t page_total(const struct profile_source *source)
{
	return source->kind == PROFILE_TASKS ? source->samples : source->weight;
}

const char *page_no_frames(const struct view_settings *settings)
{
	if (settings->user_only)
		return "[no user frames]";
	return settings->kernel_only ? "[no kernel frames]" : "[no call chain]";
}

uint64_t page_figure(const struct profile_source *source, uint64_t samples, uint64_t weight)
{
	bool waited = source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS;

	return waited ? weight / 1000 : samples;
}

void page_comment(const struct view_context *context, FILE *out, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) >= 0) {
		(void)fputs("# ", out);
		wrap_write(out, text, strlen("# "), context->settings->width);
		(void)fputc('\n', out);
		free(text);
	}
	va_end(arguments);
}

/* Folds comments of which each was written as one line. */
static void write_comments(const struct view_context *context, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n")) && *line)
		page_comment(context, context->out, "%s", line + strlen("# "));
}

static bool is_traced(const struct profile_source *source)
{
	return source->kind == PROFILE_TRACEPOINT || source->kind == PROFILE_KFUNC;
}

const char *page_unit(const struct profile_source *source)
{
	if (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS)
		return "waits";
	if (source->kind == PROFILE_TASKS)
		return "tasks";
	return is_traced(source) ? "events" : "samples";
}

void page_write_count(uint64_t count, const char *unit, FILE *out)
{
	(void)fprintf(out, "%" PRIu64 " %.*s", count, (int)strlen(unit) - (count == 1), unit);
}

static void write_weight(const struct profile_source *source, FILE *out)
{
	if (!strcmp(source->weight_unit, "samples"))
		return;
	if (!strcmp(source->weight_unit, "ns"))
		(void)fprintf(out, ", %s ms", figure_milliseconds(source->weight).text);
	else
		(void)fprintf(out, ", %" PRIu64 " %s", source->weight, source->weight_unit);
}

static void write_sampled(const struct view_context *context, uint32_t number,
			  const struct profile_source *source)
{
	size_t probes = probe_totals_count(context->profile, number);
	FILE *out = context->out;

	page_write_count(source->samples, page_unit(source), out);
	if (probes > 1)
		(void)fprintf(out, " of %zu probes", probes);
	write_weight(source, out);
	if (source->duration)
		(void)fprintf(out, " in %s s", figure_seconds(source->duration).text);
	if (source->frequency)
		(void)fprintf(out, ", %" PRIu64 " Hz per CPU", source->frequency);
	(void)fprintf(out, "%s\n", source->user_stacks ? ", kernel and user stacks" : ", kernel stacks");
	if (source->software_fallback)
		(void)fputs("# sampled by the CPU clock: there was no hardware counter\n", out);
}

/* "blocked 1234.5 ms (812), preempted 0.3 ms (2); 3.1 ms of it on run queues" */
static void write_classes(const struct profile_wait_totals *totals, FILE *out)
{
	uint64_t run_queue = 0;
	bool any = false;

	(void)fputs("# ", out);
	for (size_t i = 0; i < WAIT_CLASSES; i++) {
		const struct profile_class_total *total = &totals->classes[i];

		run_queue += total->run_queue;
		if (!total->count)
			continue;
		(void)fprintf(out, "%s%s %s ms (%" PRIu64 ")", any ? ", " : "", wait_class_name(i),
			      figure_milliseconds(total->weight).text, total->count);
		any = true;
	}
	if (totals->classes[WAIT_THROTTLED].count)
		(void)fprintf(out, "; %s ms throttled",
			      figure_milliseconds(totals->classes[WAIT_THROTTLED].throttled).text);
	(void)fprintf(out, "%s%s ms on run queues", any ? "; " : "", figure_milliseconds(run_queue).text);
	if (totals->open.count)
		(void)fprintf(out,
			      "; %s ms (%" PRIu64
			      ") of waits that began before or had not ended (--class=open, ended)",
			      figure_milliseconds(totals->open.weight).text, totals->open.count);
	(void)fputc('\n', out);
}

static void write_waited(const struct view_context *context, uint32_t number,
			 const struct profile_source *source)
{
	const struct profile_wait_totals *totals = profile_wait_totals(context->profile, number);
	FILE *out = context->out;

	page_write_count(source->samples, "waits", out);
	(void)fprintf(out, ", %s ms", figure_milliseconds(source->weight).text);
	if (source->duration)
		(void)fprintf(out, " in %s s", figure_seconds(source->duration).text);
	(void)fprintf(out, "%s\n", source->user_stacks ? ", kernel and user stacks" : ", kernel stacks");
	if (!totals)
		return;
	if (source->samples)
		write_classes(totals, out);
	if (!totals->brief.count)
		return;
	if (totals->least_wait < MILLISECOND / 10)
		(void)fprintf(out, "# shorter than %s, and not among these: ", wait_figure(totals->least_wait).text);
	else
		(void)fprintf(out, "# shorter than %s ms, and not among these: ",
			      figure_milliseconds(totals->least_wait).text);
	page_write_count(totals->brief.count, "waits", out);
	(void)fprintf(out, ", %s ms, %s ms of it on run queues", figure_milliseconds(totals->brief.weight).text,
		      figure_milliseconds(totals->brief.run_queue).text);
	if (totals->brief.throttled)
		(void)fprintf(out, ", %s ms throttled", figure_milliseconds(totals->brief.throttled).text);
	(void)fputc('\n', out);
}

static void write_walked(const struct view_context *context, const struct profile_source *source)
{
	const struct profile_walk *walks;
	size_t count = profile_walks(context->profile, &walks);
	uint64_t seen = 0;

	for (size_t i = 0; i < count; i++)
		seen += walks[i].seen;
	(void)fprintf(context->out, "%" PRIu64 " of %" PRIu64 " that were seen, walks: %zu\n",
		      source->samples, seen, count);
}

static void write_what(const struct view_context *context, uint32_t number,
		       const struct profile_source *source)
{
	const char *kind = page_kind_name(source->kind);

	(void)fprintf(context->out, "# %s", kind);
	if (source->name && source->name[0] && strcmp(source->name, kind) != 0) {
		(void)fputc(' ', context->out);
		printable_write(context->out, source->name, strlen(source->name));
	}
	(void)fputs(": ", context->out);
	if (source->kind == PROFILE_TASKS)
		write_walked(context, source);
	else if (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS)
		write_waited(context, number, source);
	else
		write_sampled(context, number, source);
}

static void write_text(FILE *out, const char *text)
{
	printable_write(out, text, strlen(text));
}

/* "# dump 3, 60.1 s, made for wait:D>500ms: kworker/0:1 (12), 812.000 ms" */
static void write_dump(const struct profile_dump *dump, FILE *out)
{
	char value[PROFILE_DUMP_VALUE];

	(void)fprintf(out, "# dump %" PRIu64 ", %s s", dump->number, figure_seconds(dump->length).text);
	if (dump->rule) {
		(void)fputs(", made for ", out);
		write_text(out, dump->rule);
		if (dump->tid) {
			(void)fputs(": ", out);
			write_text(out, dump->comm);
			(void)fprintf(out, " (%" PRIu32 ")", dump->tid);
		}
		if (*profile_dump_value(dump->rule, dump->value, value))
			(void)fprintf(out, ", %s", value);
	}
	(void)fputc('\n', out);
}

static void write_dumps(const struct view_context *context)
{
	enum { MOST = 3 };
	size_t count = profile_origins(context->profile), shown = 0, more = 0;
	struct profile_dump dump;

	for (size_t i = 0; i < count; i++)
		if (profile_dump(context->profile, i, &dump) && (shown < MOST || !++more)) {
			write_dump(&dump, context->out);
			shown++;
		}
	if (more)
		(void)fprintf(context->out, "# and %zu more dump%s\n", more, plural(more));
}

static void write_heading(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	const struct view_settings *settings = context->settings;

	write_dumps(context);
	write_what(context, number, source);
	if (settings->filters[0])
		(void)fprintf(context->out, "# filters: %s\n", settings->filters);
	if (source->samples)
		return;
	if (settings->filters[0])
		(void)fputs("# nothing passed the filters\n", context->out);
	else
		(void)fputs("# nothing was recorded; what was lost is listed below\n", context->out);
}

void page_heading(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	struct view_context unfolded = *context;
	char *text = NULL;
	size_t length;

	unfolded.out = context->settings->width ? open_memstream(&text, &length) : NULL;
	if (!unfolded.out) {
		write_heading(context, number, source);
		return;
	}
	write_heading(&unfolded, number, source);
	if (!fclose(unfolded.out))
		write_comments(context, text);
	free(text);
}

/* "cpu, tasks" */
static void write_kinds(const struct view_context *context)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);

	for (size_t i = 0; i < count; i++)
		(void)fprintf(context->out, "%s%s", i ? ", " : "", page_kind_name(sources[i].kind));
}

void page_nothing(const struct view_context *context, const char *name)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources), left_out = 0;

	for (size_t i = 0; i < count; i++)
		left_out += sources[i].left_out;
	if (count) {
		(void)fputs("# nothing to show: ", context->out);
		if (left_out)
			(void)fprintf(context->out,
				      "the filters or --%s have no use for what is here: ", name);
		else
			(void)fprintf(context->out, "--%s has no use for what is here: ", name);
		write_kinds(context);
	} else {
		(void)fputs("# nothing to show: no source is left", context->out);
	}
	if (context->settings->filters[0])
		(void)fprintf(context->out, "; filters: %s", context->settings->filters);
	(void)fputc('\n', context->out);
}

static void write_note(const struct view_context *context, const struct profile_account_note *note, FILE *out)
{
	char text[NOTE_TEXT];

	printable_escape_line(text, sizeof(text), note->text, strlen(note->text));
	page_comment(context, out, "%s", text);
}

void page_notes(const struct view_context *context, struct page_shown shown, FILE *out)
{
	enum { MOST = 3 };
	struct profile_account account;
	size_t count = 0;

	profile_account_of(context->profile, shown.kinds, &account);
	for (size_t i = 0; i < account.count; i++)
		if ((!account.notes[i].about || account.notes[i].about & shown.about) && count++ < MOST)
			write_note(context, &account.notes[i], out);
	if (count > MOST) /* without the name of the trace: no report depends on it */
		(void)fprintf(out, "# %zu more note%s: rwalker-report --info\n", count - MOST, plural(count - MOST));
}

/* --- figure columns --- */

/* `most`: in this unit, a whole source of that size has at most 7 digits before the point. */
static const struct figure_unit {
	uint64_t ns, most;
	const char *name;
} units[] = {
	{MICROSECOND, 10 * MILLISECOND, "us"},
	{MILLISECOND, 10000 * SECOND, "ms"},
	{SECOND, UINT64_MAX, "s"},
};

static bool is_timed(const struct profile_source *source)
{
	return !strcmp(source->weight_unit, "ns");
}

static enum figure_kind kind_of(const struct profile_source *source)
{
	if (source->kind == PROFILE_OFFCPU)
		return FIGURES_WAITED;
	return is_timed(source) ? FIGURES_TIMED : FIGURES_COUNTED;
}

static bool has_throttled(const struct profile *profile, const struct profile_source *source)
{
	const struct profile_source *sources;
	size_t count = profile_sources(profile, &sources);
	const struct profile_wait_totals *totals = NULL;

	for (size_t i = 0; i < count && !totals; i++)
		totals = &sources[i] == source ? profile_wait_totals(profile, (uint32_t)i) : NULL;
	return totals && totals->classes[WAIT_THROTTLED].count;
}

struct figure_columns figure_columns_of(const struct view_context *context, const struct profile_source *source)
{
	const struct figure_unit *unit = units;

	while (source->weight > unit->most)
		unit++;
	return (struct figure_columns){
		.source = source, .kind = kind_of(source), .unit = unit->ns, .color = context->settings->color,
		.throttled = has_throttled(context->profile, source)};
}

const char *figure_columns_unit(const struct figure_columns *columns)
{
	const struct figure_unit *unit = units;

	if (columns->kind == FIGURES_COUNTED)
		return page_unit(columns->source);
	while (unit->ns != columns->unit)
		unit++;
	return unit->name;
}

size_t figure_columns_width(const struct figure_columns *columns)
{
	size_t amounts = columns->kind == FIGURES_WAITED ? 2U + columns->throttled : 1U;

	return FIGURE_SHARE_WIDTH + amounts * FIGURE_AMOUNT_WIDTH;
}

void figure_columns_write_head(const struct figure_columns *columns, const char *name, bool first, FILE *out)
{
	(void)fprintf(out, "%s%*s", first ? "#" : "", FIGURE_SHARE_WIDTH - first, name);
	if (columns->kind == FIGURES_WAITED)
		(void)fprintf(out, "%*s%*s%*s", FIGURE_AMOUNT_WIDTH, "blocked", FIGURE_AMOUNT_WIDTH, "run queue",
			      columns->throttled ? FIGURE_AMOUNT_WIDTH : 0, columns->throttled ? "throttled" : "");
	else
		(void)fprintf(out, "%*s", FIGURE_AMOUNT_WIDTH, figure_columns_unit(columns));
}

void figure_columns_write_share(const struct figure_columns *columns, uint64_t weight, FILE *out)
{
	uint64_t whole = page_total(columns->source);
	size_t length = strlen(figure_percent(weight, whole).text) + 1;

	(void)fprintf(out, "%*s", length < FIGURE_SHARE_WIDTH ? (int)(FIGURE_SHARE_WIDTH - length) : 0, "");
	paint_percent(out, columns->color, weight, whole);
}

/* Writes tenths of the unit, rounded. */
static void write_amount(const struct figure_columns *columns, uint64_t ns, FILE *out)
{
	uint64_t tenth = columns->unit / 10, tenths = ns / tenth + (ns % tenth >= tenth - tenth / 2);

	(void)fprintf(out, " %*" PRIu64 ".%" PRIu64, FIGURE_AMOUNT_WIDTH - 3, tenths / 10, tenths % 10);
}

/* A blank comes first, so that a large number does not touch its neighbour. */
void figure_columns_write_count(uint64_t count, FILE *out)
{
	(void)fprintf(out, " %*" PRIu64, FIGURE_AMOUNT_WIDTH - 1, count);
}

void figure_columns_write(const struct figure_columns *columns, const struct tally *tally, FILE *out)
{
	figure_columns_write_share(columns, tally->weight, out);
	switch (columns->kind) {
	case FIGURES_COUNTED:
		figure_columns_write_count(tally->samples, out);
		break;
	case FIGURES_TIMED:
		write_amount(columns, tally->weight, out);
		break;
	case FIGURES_WAITED:
		write_amount(columns, tally->weight - tally->run_queue - tally->throttled, out);
		write_amount(columns, tally->run_queue, out);
		if (columns->throttled)
			write_amount(columns, tally->throttled, out);
		break;
	}
}

void figure_write_time(const struct profile_source *source, const struct tally *tally, FILE *out)
{
	if (!is_timed(source))
		return;
	(void)fprintf(out, "  (%sms", figure_milliseconds(tally->weight).text);
	if (source->kind == PROFILE_OFFCPU)
		(void)fprintf(out, ": blocked %sms, run queue %sms",
			      figure_milliseconds(tally->weight - tally->run_queue - tally->throttled).text,
			      figure_milliseconds(tally->run_queue).text);
	if (tally->throttled)
		(void)fprintf(out, ", throttled %sms", figure_milliseconds(tally->throttled).text);
	(void)fputc(')', out);
}
