/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/svg/svg_boxes.h"
#include "report/view/svg/svg_text.h"
#include "report/view/text/page.h"

/*
 * --svg: a flame graph as one file that can be embedded in a document. It has no script and refers to nothing else;
 * names are tooltips (<title>). Boxes that are too narrow to be seen are not drawn; <metadata> says how much that is,
 * by level.
 */

enum { /* positions are in hundredths of a pixel, sizes in pixels unless noted */
	WIDTH = 1200,
	MARGIN = 10,
	HEAD = 46,	 /* above the boxes */
	FOOT = 34,	 /* below them */
	ROW = 17,
	FRACTION = 100,
	NARROWEST = 50, /* hundredths of a pixel */
	CHARACTER = 661, /* width of a character at 11 px, in hundredths of a pixel */
	PADDING = 300,
	LEAST_CHARACTERS = 3,
	TITLE_COLUMNS = 300,
	HEAD_COLUMNS = 170,
};

static const struct {
	const char *class, *what;
} kinds[SVG_KINDS] = {
	[SVG_WHOLE] = {"w", "all"},	   [SVG_OWNER] = {"o", "comm"},	    [SVG_USER] = {"u", "user"},
	[SVG_INLINED] = {"i", "inlined"}, [SVG_JIT] = {"j", "JIT"},	    [SVG_KERNEL] = {"k", "kernel"},
	[SVG_NOTE] = {"n", "unknown"},
};

/* Kinds differ in colour, and in their edges or hatching: for print, and for colour-blind readers. */
static const char style[] =
	"<style>\n"
	"svg{background:#fff;color:#1d2129}\n"
	"text{font:11px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#16191f;white-space:pre}\n"
	".t{font-size:14px;font-weight:bold}.t,.s,.l{fill:currentColor}\n"
	"rect{stroke:#fff;stroke-width:.6}\n"
	".w rect{fill:#d5dae2}.o rect{fill:#c3cbd8}.o text{font-weight:bold}\n"
	".u rect{fill:#9fc9ec}\n"
	".i rect{fill:#cfe5f7;stroke:#3b7fb5;stroke-dasharray:3 2}\n"
	".j rect{fill:url(#jit)}\n"
	".k rect{fill:#f6bb77}.k .b{fill:#b4610a;stroke:none}\n"
	".n rect{fill:#e9e9e4;stroke:#8a8a80;stroke-dasharray:1 2}.n text{font-style:italic}\n"
	".jf{fill:#b5dfae;stroke:none}.jl{stroke:#3f8d3a}\n"
	"g>rect.x{stroke:none}\n" /* only its edge would be visible */
	"g:hover>rect{stroke:#000;stroke-width:1}\n"
	"@media (prefers-color-scheme:dark){\n"
	"svg{background:#15181d;color:#e4e7ec}text{fill:#f3f5f8}rect{stroke:#15181d}\n"
	".w rect{fill:#3a414c}.o rect{fill:#4a5463}.u rect{fill:#23608f}\n"
	".i rect{fill:#1b3e5c;stroke:#6fb0e0}.k rect{fill:#8f4d0c}.k .b{fill:#f0a24d}\n"
	".n rect{fill:#33332f;stroke:#a0a096}.jf{fill:#2f6a2b}.jl{stroke:#8fd489}\n"
	"g:hover>rect{stroke:#fff}}\n"
	"</style>\n"
	"<defs><pattern id='jit' width='6' height='6' patternUnits='userSpaceOnUse'>"
	"<path class='jf' d='M0 0h6v6H0z'/><path class='jl' d='M0 6L6 0'/></pattern></defs>\n";

struct picture {
	const struct view_context *context;
	const struct profile_source *source;
	struct svg_boxes boxes;
	bool icicle;
	unsigned int height;
};

struct span { /* hundredths of a pixel */
	uint64_t left, width;
};

static struct span span_of(const struct picture *picture, const struct svg_box *box)
{
	const unsigned __int128 room = (WIDTH - 2 * MARGIN) * FRACTION;
	uint64_t whole = picture->boxes.items.items[0].weight;
	uint64_t left = whole ? (uint64_t)(room * box->left / whole) : 0;
	uint64_t right = whole ? (uint64_t)(room * (box->left + box->weight) / whole) : 0;

	return (struct span){.left = left + MARGIN * FRACTION, .width = right - left};
}

static bool is_drawn(struct span span)
{
	return span.width >= NARROWEST;
}

static unsigned int top_of(const struct picture *picture, uint32_t level)
{
	return HEAD + ROW * (picture->icicle ? level : picture->boxes.levels - level);
}

static void write_place(FILE *out, const char *name, uint64_t hundredths)
{
	(void)fprintf(out, " %s='%" PRIu64 ".%02" PRIu64 "'", name, hundredths / FRACTION, hundredths % FRACTION);
}

/* --- boxes --- */

/* "parse: 812.5 ms, 12.34 %, 813 samples; user" */
static void write_title(const struct picture *picture, const struct svg_box *box)
{
	const struct profile_source *source = picture->source;
	FILE *out = picture->context->out;

	(void)fputs("<title>", out);
	svg_text_write(out, box->name, TITLE_COLUMNS);
	(void)fputs(": ", out);
	if (!strcmp(source->weight_unit, "ns"))
		(void)fprintf(out, "%s ms, ", figure_milliseconds(box->weight).text);
	(void)fprintf(out, "%s %%, ", figure_percent(box->weight, page_total(source)).text);
	page_write_count(box->samples, page_unit(source), out);
	(void)fprintf(out, "; %s</title>", kinds[box->kind].what);
}

static void write_label(const struct picture *picture, const struct svg_box *box, struct span span, unsigned int top)
{
	size_t columns = span.width > 2 * PADDING ? (span.width - 2 * PADDING) / CHARACTER : 0;
	FILE *out = picture->context->out;

	if (columns < LEAST_CHARACTERS)
		return;
	(void)fputs("<text", out);
	write_place(out, "x", span.left + PADDING);
	(void)fprintf(out, " y='%u'>", top + 12);
	svg_text_write(out, box->name, columns);
	(void)fputs("</text>", out);
}

static void write_box(const struct picture *picture, const struct svg_box *box, struct span span)
{
	unsigned int top = top_of(picture, box->level);
	FILE *out = picture->context->out;

	(void)fprintf(out, "<g class='%s' data-level='%" PRIu32 "' data-samples='%" PRIu64 "'",
		      kinds[box->kind].class, box->level, box->samples);
	(void)fprintf(out, " data-weight='%" PRIu64 "'>", box->weight);
	write_title(picture, box);
	(void)fprintf(out, "<rect%s", span.width < PADDING ? " class='x'" : " rx='2'");
	write_place(out, "x", span.left);
	write_place(out, "width", span.width);
	(void)fprintf(out, " y='%u' height='%u'/>", top, ROW - 1);
	if (box->kind == SVG_KERNEL && span.width > 2 * PADDING) {
		(void)fputs("<rect class='b'", out);
		write_place(out, "x", span.left);
		(void)fprintf(out, " width='2' y='%u' height='%u'/>", top, ROW - 1);
	}
	write_label(picture, box, span, top);
	(void)fputs("</g>\n", out);
}

struct hidden {
	uint64_t boxes, samples, weight;
};

static int write_boxes(const struct picture *picture)
{
	const struct svg_boxes *boxes = &picture->boxes;
	_cleanup_free_ struct hidden *hidden = calloc((size_t)boxes->levels + 1, sizeof(*hidden));
	FILE *out = picture->context->out;

	if (!hidden)
		return -ENOMEM;
	for (const struct svg_box *box = boxes->items.items; box < boxes->items.items + boxes->items.count; box++) {
		struct span span = span_of(picture, box);

		if (is_drawn(span)) {
			write_box(picture, box, span);
			continue;
		}
		hidden[box->level].boxes++;
		hidden[box->level].samples += box->samples;
		hidden[box->level].weight += box->weight;
	}
	(void)fputs("<metadata>\n", out);
	for (uint32_t i = 0; i <= boxes->levels; i++)
		if (hidden[i].boxes)
			(void)fprintf(out, "level %" PRIu32 ": boxes not drawn %" PRIu64 ", samples %" PRIu64
					   ", weight %" PRIu64 "\n", i, hidden[i].boxes, hidden[i].samples,
				      hidden[i].weight);
	(void)fputs("</metadata>\n", out);
	return 0;
}

/* --- around them --- */

/* Writes what other reports have as comments, in two lines above the picture. */
static int write_head(const struct picture *picture)
{
	const struct profile_source *source = picture->source;
	const struct view_settings *settings = picture->context->settings;
	_cleanup_free_ char *text = NULL;
	FILE *out = picture->context->out, *line;
	char name[4 * TITLE_COLUMNS];
	size_t size;

	line = open_memstream(&text, &size);
	if (!line)
		return -ENOMEM;
	page_write_count(source->samples, page_unit(source), line);
	if (!strcmp(source->weight_unit, "ns"))
		(void)fprintf(line, ", %s ms", figure_milliseconds(source->weight).text);
	if (source->duration)
		(void)fprintf(line, " in %s s", figure_seconds(source->duration).text);
	(void)fprintf(line, "%s%s", settings->filters[0] ? "; filters: " : "", settings->filters);
	if (fclose(line))
		return -ENOMEM;
	(void)fprintf(out, "<text class='t' x='%d' y='20'>%s", MARGIN, page_kind_name(source->kind));
	if (strcmp(source->name, page_kind_name(source->kind)) != 0) {
		(void)printable_escape(name, sizeof(name), source->name, strlen(source->name));
		(void)fputc(' ', out);
		svg_text_write(out, name, TITLE_COLUMNS / 4);
	}
	(void)fprintf(out, "</text>\n<text class='s' x='%d' y='37'>", MARGIN);
	svg_text_write(out, text, HEAD_COLUMNS);
	(void)fputs("</text>\n", out);
	return 0;
}

static void write_legend(const struct picture *picture)
{
	static const enum svg_kind shown[] = {SVG_USER, SVG_INLINED, SVG_JIT, SVG_KERNEL, SVG_NOTE};
	static const char *const looks[] = {"user", "inlined (dashed)", "JIT (hatched)", "kernel (bar)",
					    "unknown (dotted)"};
	unsigned int y = picture->height - 24, x = MARGIN;
	FILE *out = picture->context->out;

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		(void)fprintf(out, "<g class='%s'><rect x='%u' y='%u' width='26' height='14' rx='2'/>",
			      kinds[shown[i]].class, x, y);
		if (shown[i] == SVG_KERNEL)
			(void)fprintf(out, "<rect class='b' x='%u' y='%u' width='2' height='14'/>", x, y);
		(void)fprintf(out, "</g><text class='l' x='%u' y='%u'>%s</text>\n", x + 32, y + 11, looks[i]);
		x += 32 + 7 * (unsigned int)strlen(looks[i]) + 24;
	}
	(void)fprintf(out, "<text class='l' x='%d' y='%u' text-anchor='end'>", WIDTH - MARGIN, y + 11);
	(void)fprintf(out, "callers %s; narrower than 0.5 px is not drawn</text>\n",
		      picture->icicle ? "above" : "below");
}

static int write_picture(const struct picture *picture)
{
	FILE *out = picture->context->out;
	int r;

	(void)fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%u' viewBox='0 0 %d %u' "
			   "role='img'>\n<title>", WIDTH, picture->height, WIDTH, picture->height);
	(void)fprintf(out, "%s graph of %s</title>\n", picture->icicle ? "icicle" : "flame",
		      page_kind_name(picture->source->kind));
	(void)fputs(style, out);
	r = write_head(picture);
	if (!r)
		r = write_boxes(picture);
	if (r < 0)
		return r;
	write_legend(picture);
	(void)fputs("</svg>\n", out);
	return 0;
}

static void picture_deinit(struct picture *picture)
{
	svg_boxes_deinit(&picture->boxes);
}

int svg_view(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(picture_deinit) struct picture picture = {
		.context = context, .source = source, .icicle = context->settings->icicle};
	int r = svg_boxes_init(&picture.boxes, context, number, source);

	if (r < 0)
		return r;
	picture.height = HEAD + ROW * (picture.boxes.levels + 1) + FOOT;
	return write_picture(&picture);
}
