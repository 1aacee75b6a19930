/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_apart.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/svg/svg_lanes.h"
#include "report/view/svg/svg_text.h"
#include "report/view/text/page.h"

/*
 * --svg=timeline: a row for each thread, and what it did over time, as one file that can be embedded in a document.
 * Each recording has a band. The picture says what was too much for it.
 */

enum { /* pixels */
	WIDTH = 1200,
	MARGIN = 10,
	LEFT = 226, /* where the times begin; names are to the left of it */
	HEAD = 50,
	BAND = 42, /* above the rows of a band: its heading, and labels of times */
	ROW = 19,
	BAR = 14,
	SAID = 18, /* a line that says what is left out */
	GAP = 12,
	FOOT = 58,
	MOST_ROWS = 40,
	MOST_BANDS = 8,
	MOST_BOXES = 4000,
	LABEL = 84, /* the least distance of labels */
	NAME_COLUMNS = 21,
	TITLE_COLUMNS = 300,
	HEAD_COLUMNS = 170,
};

static const struct {
	const char *class, *what;
	int down, height;
} states[SVG_STATES] = {
	[SVG_DEEP] = {"d", "blocked in D", 0, BAR},
	[SVG_QUEUED] = {"q", "on a run queue or throttled", 0, BAR},
	[SVG_RAN] = {"c", "ran", 2, BAR - 4},
	[SVG_ASLEEP] = {"a", "blocked", 5, BAR - 10},
};

/* States differ in colour, and in their height or hatching. */
static const char style[] =
	"<style>\n"
	"svg{background:#fff;color:#1d2129}\n"
	"text{font:11px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
	"text{fill:currentColor;white-space:pre}\n"
	".t{font-size:14px;font-weight:bold}.h{font-weight:bold}.f{fill:#5a6270}\n"
	".e{text-anchor:end}.m{text-anchor:middle}\n"
	".z{fill:#123;fill-opacity:.045}.g{stroke:#cdd2da;fill:none}.k{stroke:#15331b;stroke-width:1;fill:none}\n"
	".d{fill:#4453ab}.q{fill:url(#queue)}.c{fill:#4fa35b}.a{fill:#a9c0e2}\n"
	".qf{fill:#f59a1b}.ql{stroke:#a35a00;stroke-width:1.4}\n"
	".r:hover .z{fill-opacity:.12}\n"
	"@media (prefers-color-scheme:dark){\n"
	"svg{background:#15181d;color:#e4e7ec}.f{fill:#a0a8b6}\n"
	".z{fill:#cde;fill-opacity:.05}.g{stroke:#3a404b}.k{stroke:#d9f5de}\n"
	".d{fill:#7380e0}.c{fill:#3f8f4c}.a{fill:#405a82}.qf{fill:#d98312}.ql{stroke:#8a4b00}\n"
	".r:hover .z{fill-opacity:.14}}\n"
	"</style>\n"
	"<defs><pattern id='queue' width='5' height='5' patternUnits='userSpaceOnUse'>"
	"<path class='qf' d='M0 0h5v5H0z'/><path class='ql' d='M0 5L5 0'/></pattern></defs>\n";

struct band { /* one recording */
	uint32_t recording;
	size_t first, count, shown; /* lanes */
	struct svg_range range;
};

struct timeline {
	const struct view_context *context;
	struct svg_lanes lanes;
	ARRAY(struct band) bands;
	size_t shown; /* bands */
	size_t rows;  /* in all shown bands */
	unsigned int height;
	FILE *out;
};

/* --- what fits --- */

static int find_bands(struct timeline *picture)
{
	const struct svg_lanes *lanes = &picture->lanes;

	for (size_t i = 0; i < lanes->items.count; i++) {
		uint32_t recording = lanes->items.items[i].time.recording;
		struct band *last = picture->bands.count ? &picture->bands.items[picture->bands.count - 1] : NULL;
		struct band band = {.recording = recording, .first = i, .count = 1,
				    .range = svg_lanes_range(lanes, recording)};

		if (last && last->recording == recording)
			last->count++;
		else if (array_push(&picture->bands, band) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int choose_rows(struct timeline *picture)
{
	struct svg_lanes *lanes = &picture->lanes;

	picture->shown = picture->bands.count < MOST_BANDS ? picture->bands.count : MOST_BANDS;
	picture->height = HEAD + FOOT + SAID * (picture->bands.count > picture->shown || !picture->shown);
	for (size_t i = 0; i < picture->shown; i++) {
		struct band *band = &picture->bands.items[i];
		size_t room = MOST_ROWS / picture->shown;

		band->shown = band->count < room ? band->count : room;
		picture->rows += band->shown;
		picture->height += BAND + ROW * (unsigned int)band->shown + SAID * (band->count > band->shown) + GAP;
		for (size_t at = band->first; at < band->first + band->shown; at++) {
			lanes->items.items[at].ticks = calloc(SVG_COLUMNS, 1);
			if (!lanes->items.items[at].ticks)
				return -ENOMEM;
		}
	}
	return svg_lanes_mark(lanes);
}

/* --- a row --- */

/* "12345.678": ms, to the us, as in --summary. */
static void write_ms(FILE *out, const char *what, uint64_t ns)
{
	uint64_t us = ns / 1000 + (ns % 1000 >= 500);

	(void)fprintf(out, "%s %" PRIu64 ".%03" PRIu64 " ms", what, us / 1000, us % 1000);
}

/* "baker tid 603 pid 599: running 18.625 ms, ...; 42 waits; 3 samples" */
static void write_lane_title(FILE *out, const struct svg_lane *lane, const struct profile_task *task, const char *comm)
{
	const struct thread_time *time = &lane->time;

	(void)fputs("<title>", out);
	svg_text_write(out, comm, TITLE_COLUMNS);
	(void)fprintf(out, " tid %" PRIu32 " pid %" PRIu32, task->tid, task->tgid);
	if (lane->waited) {
		write_ms(out, ": running", time->running);
		write_ms(out, ", run queue", time->run_queue);
		if (time->throttled)
			write_ms(out, ", throttled", time->throttled);
		write_ms(out, ", blocked S", time->blocked[THREAD_BLOCKED_S]);
		write_ms(out, ", blocked D", time->blocked[THREAD_BLOCKED_D]);
		write_ms(out, ", other", time->blocked[THREAD_BLOCKED_OTHER]);
		write_ms(out, ", iowait", time->iowait);
		(void)fputs("; ", out);
		page_write_count(time->waits, "waits", out);
	}
	if (lane->samples) {
		(void)fputs(lane->waited ? "; " : ": ", out);
		page_write_count(lane->samples, "samples", out);
	}
	(void)fputs("</title>", out);
}

/* Writes the boxes, each `width` columns wide or more, and returns their number. Only counts them if `out` is NULL. */
static size_t write_boxes(const struct timeline *picture, const struct band *band, const struct svg_columns *columns,
			  uint32_t width, unsigned int top, FILE *out)
{
	uint64_t start = picture->lanes.reader.waits.recordings[band->recording].start;
	size_t boxes = 0;

	for (uint32_t i = 0, next; i < SVG_COLUMNS; i = next) {
		enum svg_state state = svg_columns_state(columns, i, width);
		uint64_t from = svg_column_time(band->range, i);

		next = i + width;
		while (next < SVG_COLUMNS && svg_columns_state(columns, next, width) == state)
			next += width;
		next = next < SVG_COLUMNS ? next : SVG_COLUMNS;
		if (state == SVG_UNKNOWN)
			continue;
		boxes++;
		if (!out)
			continue;
		(void)fprintf(out, "<rect class='%s' x='%u' y='%u' width='%u' height='%d'><title>%s",
			      states[state].class, LEFT + i, top + (unsigned int)states[state].down, next - i,
			      states[state].height, states[state].what);
		write_ms(out, ": at", from - start);
		write_ms(out, ", for", svg_column_time(band->range, next) - from);
		(void)fputs("</title></rect>\n", out);
	}
	return boxes;
}

static void write_ticks(const struct svg_lane *lane, unsigned int top, FILE *out)
{
	unsigned int height = lane->waited ? 5 : BAR;

	if (!lane->samples)
		return;
	(void)fputs("<path class='k' d='", out);
	for (unsigned int i = 0; i < SVG_COLUMNS; i++)
		if (lane->ticks[i])
			(void)fprintf(out, "M%u.5 %uv%u", LEFT + i, top + BAR + 1 - height, height);
	(void)fputs("'/>\n", out);
}

static void write_row(const struct timeline *picture, const struct band *band, const struct svg_lane *lane,
		      unsigned int top)
{
	const struct profile_task *task = &picture->lanes.reader.waits.tasks[lane->time.task];
	char comm[4 * TITLE_COLUMNS];
	struct svg_columns columns;
	uint32_t width = 1;
	FILE *out = picture->out;

	(void)printable_escape(comm, sizeof(comm), task->comm, strlen(task->comm));
	svg_lanes_fill(&picture->lanes, lane, &columns);
	while (write_boxes(picture, band, &columns, width, top, NULL) > MOST_BOXES / picture->rows)
		width *= 2;
	(void)fprintf(out, "<g class='r' data-column='%" PRIu32 "'>", width);
	write_lane_title(out, lane, task, comm);
	(void)fprintf(out, "<rect class='z' x='%d' y='%u' width='%d' height='%d'/>\n<text class='e' x='%d' y='%u'>",
		      LEFT, top - 1, SVG_COLUMNS, BAR + 2, LEFT - 70, top + 11);
	svg_text_write(out, comm, NAME_COLUMNS);
	(void)fprintf(out, "</text><text class='f e' x='%d' y='%u'>%" PRIu32 "</text>\n", LEFT - 8, top + 11,
		      task->tid);
	(void)write_boxes(picture, band, &columns, width, top, out);
	write_ticks(lane, top, out);
	(void)fputs("</g>\n", out);
}

/* --- a band --- */

/* 1, 2 or 5 times a power of ten, at least `least` ns; *ret_places: decimals of a label in s. */
static uint64_t round_step(uint64_t least, unsigned int *ret_places)
{
	static const unsigned int steps[] = {1, 2, 5};
	uint64_t power = 1;

	for (unsigned int places = 9; power <= UINT64_MAX / 100; power *= 10, places -= places > 0)
		for (size_t i = 0; i < 3; i++)
			if (power * steps[i] >= least) {
				*ret_places = places;
				return power * steps[i];
			}
	*ret_places = 0;
	return power;
}

static void write_label(const struct timeline *picture, uint64_t ns, unsigned int places, uint64_t x, unsigned int y)
{
	uint64_t rest = ns % SECOND;
	bool last = x + LABEL / 2 > WIDTH; /* it would leave the picture */

	for (unsigned int i = places; i < 9; i++)
		rest /= 10;
	(void)fprintf(picture->out, "<text class='f %c' x='%" PRIu64 "' y='%u'>+%" PRIu64, last ? 'e' : 'm',
		      last ? WIDTH - 2 : x, y, ns / SECOND);
	if (places)
		(void)fprintf(picture->out, ".%0*" PRIu64, (int)places, rest);
	(void)fputs(" s</text>\n", picture->out);
}

static void write_axis(const struct timeline *picture, const struct band *band, unsigned int top)
{
	uint64_t start = picture->lanes.reader.waits.recordings[band->recording].start;
	uint64_t from = band->range.from - start, length = band->range.length;
	unsigned int places, bottom = top + BAND + ROW * (unsigned int)band->shown;
	uint64_t step = round_step((uint64_t)((unsigned __int128)length * LABEL / SVG_COLUMNS) + 1, &places);

	for (uint64_t i = from / step + (from % step > 0); i <= wait_add(from, length) / step; i++) {
		uint64_t at = i * step; /* at most from + length */
		uint64_t x = LEFT + (uint64_t)((unsigned __int128)(at - from) * SVG_COLUMNS / length);

		(void)fprintf(picture->out, "<path class='g' d='M%" PRIu64 ".5 %uV%u'/>", x, top + BAND - 7, bottom);
		write_label(picture, at, places, x, top + BAND - 11);
	}
}

/* "web7, 2026-11-21 08:59:02 UTC, 2.10 s" */
static void write_heading(const struct timeline *picture, const struct band *band, unsigned int top)
{
	const struct profile *profile = picture->context->profile;
	struct profile_origin origin = {.host = ""};
	uint64_t realtime = profile_realtime(profile, band->recording, band->range.from);
	char host[4 * TITLE_COLUMNS];
	FILE *out = picture->out;

	if (band->recording < profile_origins(profile))
		profile_origin(profile, band->recording, &origin);
	(void)printable_escape(host, sizeof(host), origin.host, strlen(origin.host));
	(void)fprintf(out, "<text class='h' x='%d' y='%u'>", MARGIN, top + 11);
	if (picture->lanes.reader.waits.recording_count > 1)
		(void)fprintf(out, "recording %" PRIu32 ": ", band->recording + 1);
	svg_text_write(out, host, TITLE_COLUMNS / 4);
	(void)fprintf(out, "%s%s%s, %s s</text>\n", host[0] ? ", " : "",
		      realtime ? figure_date(realtime).text : "at an unknown time", realtime ? " UTC" : "",
		      figure_seconds(band->range.length).text);
}

/* "not drawn: 12 threads, on run queues or in D 1.234 ms, ..." */
static void write_left_out(const struct timeline *picture, const struct band *band, unsigned int top)
{
	uint64_t held = 0, blocked = 0, samples = 0;
	FILE *out = picture->out;

	for (size_t i = band->first + band->shown; i < band->first + band->count; i++) {
		const struct svg_lane *lane = &picture->lanes.items.items[i];
		const struct thread_time *time = &lane->time;

		held = wait_add(held, wait_add(wait_add(time->run_queue, time->throttled),
					       time->blocked[THREAD_BLOCKED_D]));
		blocked = wait_add(blocked, wait_add(time->blocked[THREAD_BLOCKED_S],
						     time->blocked[THREAD_BLOCKED_OTHER]));
		samples += lane->samples;
	}
	(void)fprintf(out, "<text class='f' x='%d' y='%u'>not drawn: ", LEFT, top + 11);
	page_write_count(band->count - band->shown, "threads", out);
	write_ms(out, ", runnable or in D", held);
	write_ms(out, ", otherwise blocked", blocked);
	(void)fputs(", ", out);
	page_write_count(samples, "samples", out);
	(void)fputs("</text>\n", out);
}

static unsigned int write_band(const struct timeline *picture, const struct band *band, unsigned int top)
{
	unsigned int row = top + BAND;

	write_heading(picture, band, top);
	write_axis(picture, band, top);
	for (size_t i = 0; i < band->shown; i++, row += ROW)
		write_row(picture, band, &picture->lanes.items.items[band->first + i], row);
	if (band->count > band->shown) {
		write_left_out(picture, band, row);
		row += SAID;
	}
	return row + GAP;
}

/* --- around them --- */

static void write_head(const struct timeline *picture)
{
	const char *filters = picture->context->settings->filters;
	FILE *out = picture->out;

	(void)fprintf(out, "<text class='t' x='%d' y='20'>timeline</text>\n", MARGIN);
	(void)fprintf(out, "<text class='f' x='%d' y='37'>", MARGIN);
	page_write_count(picture->lanes.items.count, "threads", out);
	(void)fputs(", who waited longest for a CPU or in D first", out);
	if (filters[0]) {
		(void)fputs("; filters: ", out);
		svg_text_write(out, filters, HEAD_COLUMNS / 2);
	}
	(void)fputs("</text>\n", out);
}

static uint64_t least_wait(const struct timeline *picture)
{
	uint64_t least = 0;

	for (size_t i = 0; i < picture->shown; i++) {
		uint64_t own = picture->lanes.reader.waits.recordings[picture->bands.items[i].recording].least_wait;

		least = own > least && own < UINT64_MAX ? own : least;
	}
	return least;
}

static bool has_samples(const struct timeline *picture)
{
	for (size_t i = 0; i < picture->lanes.items.count; i++)
		if (picture->lanes.items.items[i].samples)
			return true;
	return false;
}

static void write_legend(const struct timeline *picture, unsigned int top)
{
	static const enum svg_state order[] = {SVG_RAN, SVG_QUEUED, SVG_DEEP, SVG_ASLEEP};
	static const char *const words[SVG_STATES] = {
		[SVG_DEEP] = "blocked in D", [SVG_QUEUED] = "runnable, waits for a CPU or a quota",
		[SVG_ASLEEP] = "blocked otherwise", [SVG_RAN] = "ran"};
	uint64_t least = least_wait(picture);
	unsigned int x = MARGIN;
	FILE *out = picture->out;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		enum svg_state state = order[i];
		int length;

		(void)fprintf(out, "<rect class='%s' x='%u' y='%u' width='26' height='%d'/><text x='%u' y='%u'>",
			      states[state].class, x, top + (unsigned int)states[state].down, states[state].height,
			      x + 32, top + 11);
		length = fprintf(out, "%s", words[state]);
		if (state == SVG_RAN && least)
			length += fprintf(out, ", or waits shorter than %s ms", figure_milliseconds(least).text);
		(void)fputs("</text>\n", out);
		x += 32 + 7 * (unsigned int)(length > 0 ? length : 0) + 24;
	}
	if (has_samples(picture))
		(void)fprintf(out, "<path class='k' d='M%u.5 %uv5m4 0v-5m4 0v5'/><text x='%u' y='%u'>samples</text>\n",
			      x, top + 10, x + 16, top + 11);
}

static void write_notes(const struct timeline *picture, unsigned int top)
{
	struct profile_set_apart apart = profile_set_apart(picture->context->profile);
	FILE *out = picture->out;

	(void)fprintf(out, "<text class='f' x='%d' y='%u'>each column of pixels shows what took most of it", MARGIN,
		      top + 11);
	if (apart.throughout_count || apart.kernel_threads)
		(void)fprintf(out,
			      "; set apart: %zu waited all the time, %zu kernel threads did nothing (--throughout)",
			      apart.throughout_count, apart.kernel_threads);
	(void)fputs("</text>\n", out);
}

static void write_picture(const struct timeline *picture)
{
	unsigned int top = HEAD;
	FILE *out = picture->out;

	(void)fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%u' viewBox='0 0 %d %u' "
			   "role='img'>\n<title>timeline of threads</title>\n", WIDTH, picture->height, WIDTH,
		      picture->height);
	(void)fputs(style, out);
	write_head(picture);
	for (size_t i = 0; i < picture->shown; i++)
		top = write_band(picture, &picture->bands.items[i], top);
	if (!picture->shown || picture->bands.count > picture->shown) {
		(void)fprintf(out, "<text class='f' x='%d' y='%u'>", MARGIN, top + 11);
		if (picture->shown)
			page_write_count(picture->bands.count - picture->shown, "recordings", out);
		(void)fputs(picture->shown ? " more are not drawn</text>\n" :
					     "there are neither waits nor samples</text>\n", out);
		top += SAID;
	}
	write_legend(picture, top);
	write_notes(picture, top + 24);
	(void)fputs("</svg>\n", out);
}

static void timeline_deinit(struct timeline *picture)
{
	svg_lanes_deinit(&picture->lanes);
	array_free(&picture->bands);
}

int svg_timeline_view(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(timeline_deinit) struct timeline picture = {.context = context, .out = context->out};
	int r = svg_lanes_init(&picture.lanes, context->profile);

	(void)number;
	(void)source;
	if (!r)
		r = find_bands(&picture);
	if (!r)
		r = choose_rows(&picture);
	if (r < 0)
		return r;
	write_picture(&picture);
	return 0;
}
