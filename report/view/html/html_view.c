/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "report/view/html/html.h"

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
	r = place_recordings(page);
	if (!r)
		r = stacks_init(&page->stacks, &page->reader.waits, context, &page->columns);
	if (!r)
		r = places_init(&page->places, context->profile, stacks_functions(&page->stacks),
				(struct frame_style){0});
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

static int show_html(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(html_page_deinit) struct html_page page;
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ uint8_t *packed = NULL;
	size_t length, size;
	int r = html_page_init(&page, context);

	(void)number;
	(void)source;
	if (!r)
		r = write_tables(&page);
	if (!r)
		r = html_text(&page, &text, &length);
	if (!r)
		r = html_fit(&page, length, &packed, &size);
	if (!r)
		html_document(&page, text, packed, size, context->out);
	return r;
}

const struct view html_view = {
	VIEW_OPTION("html", .help = "one page for a browser, with -o FILE", .often = true),
	.print = show_html, .kinds = VIEW_ANY_KIND,
	.needs = PROFILE_EVERYONE | PROFILE_EACH_EVENT | PROFILE_WAITS_APART, .whole = true, .exports = true,
	.binary = true, .may_compare = true,
};
