/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --html, and the document around its payload. */
#include "report/page/html.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/file/pack.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"

/* The files of report/page/ as the program contains them: all scripts, concatenated, the style, and the markup. */
extern const char page_script[], page_script_end[];
extern const char page_style[], page_style_end[];
extern const char page_markup[], page_markup_end[];

/* --- html view --- */

enum { EXACT_EVENTS = 50000 }; /* with more events, times are in microseconds, which takes half the space */

static void html_page_deinit(struct html_page *page)
{
	places_deinit(&page->places);
	stacks_deinit(&page->stacks);
	free(page->tasks.number_of);
	free(page->tasks.thread_of);
	free(page->offsets);
	free(page->complete);
	columns_deinit(&page->columns);
}

/* When the first recording began, in ns since 1970; *ret_span: how much later the last one began. */
static uint64_t first_realtime(const struct html_page *page, uint64_t *ret_span)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < page->reader.waits.recording_count; i++) {
		uint64_t realtime = profile_realtime(page->profile, i, page->reader.waits.recordings[i].start);

		if (!realtime)
			continue;
		first = realtime < first ? realtime : first;
		last = realtime > last ? realtime : last;
	}
	*ret_span = last > first ? last - first : 0;
	return first;
}

/* Times must be exact even as numbers of JavaScript. */
static void choose_unit(struct html_page *page)
{
	uint64_t span, count = page->reader.waits.count;

	for (size_t i = 0; i < page->reader.source_count; i++) {
		enum profile_source_kind kind = page->reader.sources[i].kind;
		bool wakeups = kind == PROFILE_WAKERS && !page->reader.waits.count;

		if (wakeups || kind == PROFILE_CPU || kind == PROFILE_TRACEPOINT || kind == PROFILE_KFUNC)
			count += page->reader.sources[i].samples;
	}
	(void)first_realtime(page, &span);
	page->unit = count > EXACT_EVENTS || span >= HTML_MOST_TICKS ? MICROSECOND : 1;
}

/* Recordings whose time of day is known get their offsets; the others begin at 0. */
static int place_recordings(struct html_page *page)
{
	const struct waits *waits = &page->reader.waits;
	uint64_t span, first = first_realtime(page, &span);

	page->offsets = calloc(waits->recording_count + 1, sizeof(*page->offsets));
	if (!page->offsets)
		return -ENOMEM;
	for (uint32_t i = 0; i < waits->recording_count; i++) {
		uint64_t realtime = profile_realtime(page->profile, i, waits->recordings[i].start);

		if (realtime > first)
			page->offsets[i] = html_cut((realtime - first) / page->unit);
	}
	return 0;
}

static int html_page_init(struct html_page *page, const struct view_context *context)
{
	int r;

	*page = (struct html_page){.context = context, .profile = context->profile};
	r = event_reader_init(&page->reader, context->profile);
	if (r < 0)
		return r;
	page->complete = calloc(page->reader.source_count + 1, sizeof(*page->complete));
	if (!page->complete)
		return -ENOMEM;
	choose_unit(page);
	r = place_recordings(page) ?:
	    stacks_init(&page->stacks, &page->reader.waits, context, &page->columns) ?:
	    places_init(&page->places, context->profile, stacks_functions(&page->stacks), (struct frame_style){0});
	return r;
}

/* Writes the columns that do not depend on the limit. */
static int write_tables(struct html_page *page)
{
	static int (*const parts[])(struct html_page *) = {
		html_write_tasks, html_write_cgroups, html_write_functions, html_write_sums, html_write_walks,
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !r; i++)
		r = parts[i](page);
	return r;
}

static int show_html(const struct view_context *context)
{
	_cleanup_(html_page_deinit) struct html_page page;
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ uint8_t *packed = NULL;
	size_t length, size;
	int r = html_page_init(&page, context) ?:
		write_tables(&page) ?:
		html_text(&page, &text, &length) ?:
		html_fit(&page, length, &packed, &size);

	if (!r)
		html_document(&page, text, packed, size, context->out);
	return r;
}

const struct view html_view = {
	VIEW_OPTION("html", .help = "one page for a browser, with -o FILE", .often = true),
	.print_all = show_html, .kinds = VIEW_ANY_KIND,
	.needs = PROFILE_EVERYONE | PROFILE_EACH_EVENT | PROFILE_WAITS_APART, .whole = true, .exports = true,
	.binary = true, .may_compare = true,
};

/* --- html document --- */

/*
 * The document. Data from a trace is in it as escaped text or within the payload, never as markup.
 * The policy in its head allows the one style and the one script that it contains, by their hashes,
 * and nothing from anywhere else.
 */

static const char licence[] =
	"<!-- The markup, style and script of this page are part of rwalker, SPDX-License-Identifier: BSD-2-Clause OR "
	"GPL-2.0-only. No claim is made on the data, which is yours. -->\n";

/* `text` is printable. */
static void write_escaped(FILE *out, const char *text)
{
	for (size_t length; *text; text += length) {
		length = strcspn(text, "&<>\"'");
		(void)fwrite(text, 1, length, out);
		if (text[length]) {
			(void)fprintf(out, "&#%d;", text[length]);
			length++;
		}
	}
}

static void write_name(FILE *out, const char *name)
{
	_cleanup_free_ char *copy = printable_copy_line(name);

	write_escaped(out, copy ? copy : "");
}

/* "db1, 2026-11-22 17:10:42 UTC" */
static void write_title(struct html_page *page, FILE *out)
{
	struct profile_origin origin = {.host = ""};

	if (profile_origins(page->profile))
		profile_origin(page->profile, 0, &origin);
	write_name(out, origin.host[0] ? origin.host : "unknown host");
	(void)fprintf(out, ", %s UTC", figure_date(origin.realtime).text);
	if (profile_origins(page->profile) > 1)
		(void)fprintf(out, " and %zu more", profile_origins(page->profile) - 1);
}

static int write_digest(struct html_page *page, FILE *out)
{
	struct view_settings settings = *page->context->settings;
	struct view_context context = *page->context;
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r;

	settings.width = 0;
	settings.color = false;
	context.settings = &settings;
	context.out = open_memstream(&text, &length);
	if (!context.out)
		return -ENOMEM;
	r = digest_view.print_all(&context);
	if (fclose(context.out) != 0)
		r = -ENOMEM;
	if (r < 0)
		return r;
	(void)fputs("<details id=\"digest\" open><summary>Digest</summary><pre>", out);
	write_escaped(out, text);
	(void)fputs("</pre></details>\n", out);
	return 0;
}

static void write_account(struct html_page *page, FILE *out)
{
	struct profile_losses losses;

	profile_losses(page->profile, &losses);
	(void)fputs("<details id=\"account\"><summary>Account of losses: ", out);
	if (losses.lost)
		(void)fprintf(out, "%" PRIu64 " event%s lost", losses.lost, losses.lost == 1 ? " was" : "s were");
	else
		(void)fputs("nothing was lost", out);
	(void)fprintf(out, "</summary><pre>events recorded: %" PRIu64 "\nevents lost: %" PRIu64 "\n", losses.recorded,
		      losses.lost);
	for (size_t i = 0; i < profile_origins(page->profile); i++) {
		struct profile_origin origin;

		profile_origin(page->profile, i, &origin);
		(void)fprintf(out, "recording %zu: ", i + 1);
		write_name(out, origin.host[0] ? origin.host : "unknown host");
		(void)fputs(", ", out);
		write_name(out, origin.kernel[0] ? origin.kernel : "unknown kernel");
		(void)fprintf(out, ", %s UTC, for %s s\n", figure_date(origin.realtime).text,
			      figure_seconds(origin.length).text);
	}
	if (page->context->settings->filters[0]) {
		(void)fputs("filters: ", out);
		write_escaped(out, page->context->settings->filters);
		(void)fputc('\n', out);
	}
	(void)fputs("</pre></details>\n", out);
}

static void write_notes(struct html_page *page, FILE *out)
{
	struct profile_account account;

	profile_account(page->profile, &account);
	(void)fprintf(out, "<details id=\"notes\"><summary>Notes on quality: %zu</summary><ul>\n", account.count);
	for (size_t i = 0; i < account.count; i++) {
		(void)fputs("<li>", out);
		write_name(out, account.notes[i].text);
		for (size_t k = 0; k < account.notes[i].detail_count; k++) {
			(void)fputs(k ? "<br>" : "<p>", out);
			write_name(out, account.notes[i].details[k]);
		}
		(void)fputs("</li>\n", out);
	}
	(void)fputs("</ul></details>\n", out);
}

int html_text(struct html_page *page, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = open_memstream(&text, ret_length);
	int r;

	if (!out)
		return -ENOMEM;
	(void)fputs("<title>", out);
	write_title(page, out);
	(void)fputs(": rwalker</title>\n</head>\n<body>\n<main>\n<h1>", out);
	write_title(page, out);
	(void)fputs("</h1>\n", out);
	r = write_digest(page, out);
	write_account(page, out);
	write_notes(page, out);
	if (fclose(out) != 0)
		r = -ENOMEM;
	if (!r)
		*ret_text = steal_ptr(text);
	return r;
}

/* Says what the page contains, and what it does not. */
static void write_contents(struct html_page *page, FILE *out)
{
	char texts[HTML_LEFT_OUT][HTML_LEFT_OUT_TEXT];
	size_t count = html_left_out(page, texts);

	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "<p class=\"left-out\">Left out of this page: %s.</p>\n", texts[i]);
	(void)fputs("<p id=\"contents\">This file holds names of programs, threads, functions and modules, and "
		    "times. It holds no stack memory and no command lines, and asks nothing of any network.</p>\n"
		    "</main>\n<noscript><p>The pictures need JavaScript; the text above does not.</p></noscript>\n",
	      out);
}

static void write_hash(const char *begin, const char *end, FILE *out)
{
	char text[SHA256_TEXT];

	sha256_text(begin, (size_t)(end - begin), text);
	(void)fprintf(out, "'sha256-%s'", text);
}

static void write_head(FILE *out)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ", out);
	write_hash(page_style, page_style_end, out);
	(void)fputs("; script-src ", out);
	write_hash(page_script, page_script_end, out);
	(void)fputs("; base-uri 'none'; form-action 'none'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n", out);
	(void)fputs(licence, out);
}

static void write_file(const char *before, const char *begin, const char *end, const char *after, FILE *out)
{
	(void)fputs(before, out);
	(void)fwrite(begin, 1, (size_t)(end - begin), out);
	(void)fputs(after, out);
}

void html_document(struct html_page *page, const char *text, const uint8_t *packed, size_t size, FILE *out)
{
	write_head(out);
	write_file("<style>", page_style, page_style_end, "</style>\n", out);
	(void)fputs(text, out);
	write_contents(page, out);
	write_file("", page_markup, page_markup_end, "\n<script type=\"text/plain\" id=\"payload\">", out);
	dense_write(packed, size, out);
	write_file("</script>\n<script>", page_script, page_script_end, "</script>\n</body>\n</html>\n", out);
}

uint64_t html_document_size(size_t text_length, size_t packed_size)
{
	/* The head, the tags, and the text about the contents. */
	enum { AROUND = 2048 + HTML_LEFT_OUT * HTML_LEFT_OUT_TEXT };

	return AROUND + text_length + dense_size(packed_size) + (uint64_t)(page_style_end - page_style) +
	       (uint64_t)(page_script_end - page_script) + (uint64_t)(page_markup_end - page_markup);
}
