/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/file/pack.h"
#include "report/page/html.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/view/page.h"

/* The payload of a page: a header in JSON, followed by the columns. */

static void write_hosts(struct html_page *page, struct json *json)
{
	const struct waits *waits = &page->reader.waits;
	uint32_t hosts = 0;

	for (size_t i = 0; i < waits->recording_count; i++)
		hosts = waits->recordings[i].host >= hosts ? waits->recordings[i].host + 1 : hosts;
	json_write(json, "'hosts':[");
	for (uint32_t host = 0; host < hosts; host++) {
		struct profile_origin origin = {.host = ""};
		size_t i = 0;

		while (i < waits->recording_count && waits->recordings[i].host != host)
			i++;
		if (i < profile_origins(page->profile))
			profile_origin(page->profile, i, &origin);
		json_write(json, "%-s", origin.host);
	}
	json_write(json, "]");
}

static void write_recordings(struct html_page *page, struct json *json)
{
	json_write(json, "'recordings':[");
	for (uint32_t i = 0; i < page->reader.waits.recording_count; i++) {
		const struct profile_recording *row = &page->reader.waits.recordings[i];

		json_write(json, "{'host':%u,'offset':%jd,'length':%jd,'leastWait':%ju}", row->host, page->offsets[i],
			   html_end_ticks(page, i, row->stop),
			   row->least_wait < COLUMN_MOST ? row->least_wait : COLUMN_MOST);
	}
	json_write(json, "]");
}

/* The requested parts of the recordings, if they are not all of them. */
static void write_times(struct html_page *page, struct json *json)
{
	const struct waits *waits = &page->reader.waits;

	json_write(json, "'times':[");
	for (uint32_t i = 0; i < waits->recording_count; i++) {
		uint64_t from, to;

		profile_recording_part(page->profile, i, &from, &to);
		if (from > waits->recordings[i].start || to < waits->recordings[i].stop)
			json_write(json, "[%u,%jd,%jd]", i, html_ticks(page, i, from), html_end_ticks(page, i, to));
	}
	json_write(json, "]");
}

static void write_source(struct html_page *page, uint32_t number, struct json *json)
{
	const struct profile_source *source = &page->reader.sources[number];
	bool waits = source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS;

	json_write(json, "{'kind':%s,'name':%-s,'unit':%-s,'count':%ju,'weight':'%ju'", page_kind_name(source->kind),
		   source->name, source->weight_unit, source->samples, source->weight);
	json_write(json, "'timed':%d,'duration':%ju,'complete':%d,'step':%ju}",
		   source->kind != PROFILE_TASKS && (waits || !page->limit.no_samples),
		   source->duration < COLUMN_MOST ? source->duration : COLUMN_MOST, page->complete[number],
		   html_step(page, number));
}

static void write_sources(struct html_page *page, struct json *json)
{
	json_write(json, "'sources':[");
	for (uint32_t i = 0; i < page->reader.source_count; i++)
		write_source(page, i, json);
	json_write(json, "],'probes':[");
	for (size_t i = 0; i < page->reader.probe_count; i++)
		json_write(json, "{'source':%u,'name':%-s}", page->reader.probes[i].source, page->reader.probes[i].name);
	json_write(json, "]");
}

size_t html_left_out(const struct html_page *page, char texts[HTML_LEFT_OUT][HTML_LEFT_OUT_TEXT])
{
	size_t count = 0, all = page->reader.waits.count;

	if (page->limit.least_wait && !page->limit.kept_waits)
		(void)snprintf(texts[count++], HTML_LEFT_OUT_TEXT,
			       "single waits, all %zu, are not here: they are sums for each %s ms; --max-page allows a "
			       "larger page",
			       all, figure_milliseconds(page->limit.bin).text);
	else if (page->limit.least_wait)
		(void)snprintf(texts[count++], HTML_LEFT_OUT_TEXT,
			       "waits shorter than %s ms, %zu of %zu, are not here one by one: they are sums for each "
			       "%s ms; --max-page allows a larger page",
			       figure_milliseconds(page->limit.least_wait).text, all - page->limit.kept_waits, all,
			       figure_milliseconds(page->limit.bin).text);
	if (page->limit.no_samples)
		(void)snprintf(texts[count++], HTML_LEFT_OUT_TEXT,
			       "single samples are not here, so that they have no times: their sums are complete; "
			       "--max-page allows a larger page");
	return count;
}

static void write_left_out(const struct html_page *page, struct json *json)
{
	char texts[HTML_LEFT_OUT][HTML_LEFT_OUT_TEXT];
	size_t count = html_left_out(page, texts);

	json_write(json, "'what':[");
	for (size_t i = 0; i < count; i++)
		json_write(json, "%s", texts[i]);
	json_write(json, "],'binTicks':%ju", page->limit.bin / page->unit);
}

/* About --base: its hosts, and how long each source of the page was recorded there. */
static void write_base(struct html_page *page, struct json *json)
{
	struct profile *base = page->context->base;
	const struct profile_source *sources;
	size_t count = base ? profile_sources(base, &sources) : 0;

	if (!base) {
		json_write(json, "'base':null");
		return;
	}
	json_write(json, "'base':{'hosts':[");
	for (size_t i = 0; i < profile_origins(base); i++) {
		struct profile_origin origin;

		profile_origin(base, i, &origin);
		json_write(json, "%-s", origin.host);
	}
	json_write(json, "],'seconds':[");
	for (uint32_t own = 0; own < page->reader.source_count; own++) {
		uint64_t duration = 0;

		for (size_t i = 0; i < count; i++)
			if (html_base_source(page, &sources[i]) == own)
				duration = sources[i].duration;
		json_write(json, "%.9ju", duration);
	}
	json_write(json, "]}");
}

/* A time as an offset from the recording's start, limited to the recording. */
static uint64_t within(const struct profile_recording *recording, uint64_t time)
{
	if (time <= recording->start || recording->stop <= recording->start)
		return 0;
	return (time < recording->stop ? time : recording->stop) - recording->start;
}

/* A span that begins before the recording and ends after it covers all of it. */
static void write_unsure(const struct html_page *page, struct json *json)
{
	const struct waits *waits = &page->reader.waits;
	struct profile_span span;

	json_write(json, "'unsure':[");
	for (uint32_t i = 0; i < waits->recording_count; i++) {
		const struct profile_recording *recording = &waits->recordings[i];

		for (size_t k = 0; profile_unsure(page->context->profile, i, k, &span); k++)
			json_write(json, "[%u,%ju,%ju]", i, within(recording, span.from) / page->unit,
				   within(recording, span.until) / page->unit);
	}
	json_write(json, "]");
}

static void write_columns(const struct html_page *page, struct json *json)
{
	size_t offset = 0;

	json_write(json, "'columns':{");
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column *column = &page->columns.items[i];

		if (!column->bytes.count)
			continue;
		json_write(json, "%s:[%zu,%zu,%zu]", column_names[i], offset, column->bytes.count, column->count);
		offset += column->bytes.count;
	}
	json_write(json, "}");
}

static int write_header(struct html_page *page, struct column *header)
{
	struct column_text text;
	struct json *json = &text.json;
	int r = column_text_open(&text, '{');

	if (r < 0)
		return r;
	json_write(json, "'version':1,'unit':%ju,'filters':%s", page->unit, page->context->settings->filters);
	write_hosts(page, json);
	write_recordings(page, json);
	write_times(page, json);
	write_sources(page, json);
	write_base(page, json);
	write_unsure(page, json);
	write_left_out(page, json);
	write_columns(page, json);
	return column_text_close(&text, header);
}

int html_payload(struct html_page *page, uint8_t **ret_bytes, size_t *ret_size)
{
	struct column all = {0}, header = {0};
	uint8_t length[4];
	int r = write_header(page, &header);

	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (uint8_t)(header.bytes.count >> (8 * i));
	column_raw(&all, length, sizeof(length));
	column_move(&all, &header);
	if (r < 0 || columns_status(&page->columns) < 0 ||
	    array_reserve(&all.bytes, all.bytes.count + columns_bytes(&page->columns, 0, COLUMNS)) < 0)
		all.failed = true;
	for (size_t i = 0; i < COLUMNS && !all.failed; i++)
		column_raw(&all, page->columns.items[i].bytes.items, page->columns.items[i].bytes.count);
	if (all.failed) {
		array_free(&all.bytes);
		return -ENOMEM;
	}
	*ret_bytes = all.bytes.items;
	*ret_size = all.bytes.count;
	return 0;
}

/* --- html fit --- */

/*
 * Makes a page fit into its limit. The longest waits stay; the shorter ones become sums by bin,
 * and if that is not enough, single samples are dropped. Sums by stack are never cut, so figures
 * of the whole trace stay exact: a page that cannot hold them is refused.
 */

enum {
	LEAST_WAITS = 100,    /* fewer are not worth a list */
	MOST_BINS = 1024,     /* of a recording */
	LEAST_BINS = 16,
	BINS_SHARE = 4,	      /* bins are made longer if they take more than a fourth of the room */
	ROOM_PERCENT = 90,    /* of what seems to fit: each attempt is smaller than the one before */
	LIKELY_WAIT_BYTES = 2, /* of the page, for each wait, for the first attempt; waits take three or more */
};

struct fit {
	struct html_page *page;
	uint64_t *lengths; /* of all waits, longest first; NULL until they are needed */
	size_t waits;	   /* number of waits that may stay */
	uint64_t bins;	   /* number of bins of the longest recording */
};

static int compare_lengths(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return (l < r) - (l > r);
}

static int sort_lengths(struct fit *fit)
{
	const struct waits *waits = &fit->page->reader.waits;

	if (fit->lengths)
		return 0;
	fit->lengths = calloc(waits->count + 1, sizeof(*fit->lengths));
	if (!fit->lengths)
		return -ENOMEM;
	for (size_t i = 0; i < waits->count; i++)
		fit->lengths[i] = wait_length(&waits->items[i]);
	qsort(fit->lengths, waits->count, sizeof(*fit->lengths), compare_lengths);
	return 0;
}

static uint64_t longest_recording(const struct waits *waits)
{
	uint64_t longest = 1;

	for (size_t i = 0; i < waits->recording_count; i++) {
		uint64_t length = waits->recordings[i].stop - waits->recordings[i].start;

		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Sets the limits so that at most `fit->waits` waits stay; of equally long ones all or none. */
static int choose(struct fit *fit)
{
	struct html_page *page = fit->page;
	const struct waits *waits = &page->reader.waits;
	int r;

	if (fit->waits >= waits->count)
		return 0;
	r = sort_lengths(fit);
	if (r < 0)
		return r;
	page->limit.least_wait = fit->lengths[fit->waits] + 1;
	page->limit.bin = (longest_recording(waits) / fit->bins / page->unit + 1) * page->unit;
	return 0;
}

static int attempt(struct fit *fit, uint8_t **ret_packed, size_t *ret_size)
{
	_cleanup_free_ uint8_t *payload = NULL;
	size_t size;

	return choose(fit) ?:
	       html_write_waits(fit->page) ?:
	       html_write_bins(fit->page) ?:
	       html_write_samples(fit->page) ?:
	       html_write_entries(fit->page) ?:
	       html_payload(fit->page, &payload, &size) ?:
	       gzip_pack(payload, size, ret_packed, ret_size);
}

/* The share of some columns in the bytes of all, taken as their share in the bytes of the page. */
static double share_of(const struct columns *columns, enum column_number first, enum column_number last)
{
	double all = (double)columns_bytes(columns, 0, COLUMNS);

	return (double)columns_bytes(columns, first, last + 1) / (all > 0 ? all : 1);
}

/* The number of waits that seem to fit. */
static size_t fewer_waits(const struct fit *fit, uint64_t size, uint64_t most)
{
	const struct html_page *page = fit->page;
	double all = (double)size * share_of(&page->columns, COLUMN_WAIT_RUNS, COLUMN_WAKER_STEP);
	double left = all - ((double)size - (double)most);
	size_t kept = page->limit.kept_waits, most_kept = kept * ROOM_PERCENT / 100;
	double fitting = left > 0 ? (double)kept * left / all * ROOM_PERCENT / 100 : 0;

	if (fitting < LEAST_WAITS)
		return 0;
	return fitting < (double)most_kept ? (size_t)fitting : most_kept;
}

/* Sets up a smaller attempt after one of `size` bytes; false if there is none. */
static bool shrink(struct fit *fit, uint64_t size, uint64_t most)
{
	struct html_page *page = fit->page;
	double bins = (double)size * share_of(&page->columns, COLUMN_BIN_TASK, COLUMN_BIN_OTHER);

	if (fit->bins > LEAST_BINS && (bins * BINS_SHARE > (double)most || (!fit->waits && page->limit.bin))) {
		fit->bins /= 2;
		return true;
	}
	if (fit->waits) {
		fit->waits = fewer_waits(fit, size, most);
		return true;
	}
	if (page->limit.no_samples || !columns_bytes(&page->columns, COLUMN_SAMPLE_RUNS, COLUMN_SAMPLE_WEIGHT + 1))
		return false;
	return page->limit.no_samples = true;
}

static int refuse(uint64_t size, uint64_t most)
{
	return log_error(EFBIG, "--max-page %s is too little for this trace: without single events its page has %s",
			 figure_bytes(most).text, figure_bytes(size).text);
}

int html_fit(struct html_page *page, size_t text_length, uint8_t **ret_packed, size_t *ret_size)
{
	uint64_t limit = page->context->settings->max_page, most = limit ? limit : UINT64_MAX;
	uint64_t around = html_document_size(text_length, 0);
	struct fit fit = {.page = page, .bins = MOST_BINS};
	int r;

	fit.waits = page->reader.waits.count;
	if (most / LIKELY_WAIT_BYTES < fit.waits)
		fit.waits = most / LIKELY_WAIT_BYTES;
	for (;;) {
		uint64_t size;

		r = attempt(&fit, ret_packed, ret_size);
		if (r < 0)
			break;
		size = html_document_size(text_length, *ret_size);
		if (size <= most)
			break;
		free(*ret_packed);
		*ret_packed = NULL;
		if (!shrink(&fit, size - around, most > around ? most - around : 0)) {
			r = refuse(size, most);
			break;
		}
	}
	free(fit.lengths);
	return r;
}
