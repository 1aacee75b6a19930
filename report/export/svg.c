/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/view/page.h"
#include "report/view/stacks.h"

/*
 * --svg: a flame graph as one file that can be embedded in a document. It has no script and refers to nothing else;
 * names are tooltips (<title>). Boxes that are too narrow to be seen are not drawn; <metadata> says how much that is,
 * by level.
 */

enum { /* positions are in hundredths of a pixel, sizes in pixels unless noted */
	WIDTH = 1200, MARGIN = 10, ROW = 17,
	HEAD = 46, FOOT = 34, /* above and below the boxes */
	FRACTION = 100,
	NARROWEST = 50, CHARACTER = 661, PADDING = 300, /* hundredths; a character at 11 px */
	LEAST_CHARACTERS = 3, TITLE_COLUMNS = 300, HEAD_COLUMNS = 170,
};

enum kind { WHOLE, OWNER, USER, INLINED, JIT, KERNEL, NOTE, KINDS };

static const struct {
	const char *class, *what, *look; /* look: in the legend */
} kinds[KINDS] = {
	[WHOLE] = {"w", "all", NULL},
	[OWNER] = {"o", "comm", NULL},
	[USER] = {"u", "user", "user"},
	[INLINED] = {"i", "inlined", "inlined (dashed)"},
	[JIT] = {"j", "JIT", "JIT (hatched)"},
	[KERNEL] = {"k", "kernel", "kernel (bar)"},
	[NOTE] = {"n", "unknown", "unknown (dotted)"},
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

/* --- boxes: one for each prefix of a folded line, group and comm first, then the functions from the root on --- */

struct box {
	uint32_t parent, level; /* 0: the whole, which is box 0 */
	enum kind kind;
	char *name; /* printable */
	uint64_t samples, weight;
	uint64_t left; /* weight of all that is to the left of it */
};

struct picture {
	const struct view_context *context;
	const struct profile_source *source;
	struct stack_table table;
	struct hash_map known; /* number of the parent, name: number of the box */
	ARRAY(struct box) boxes; /* a parent is before its children */
	struct chain chain;
	uint32_t levels;
	unsigned int height;
};

static enum kind kind_of(const struct picture *picture, uint32_t number)
{
	const struct profile_module *modules;
	const struct profile_frame *frame;
	const char *path;
	size_t count;

	frame = &profile_frames(picture->context->profile, &count)[number];
	modules = profile_modules(picture->context->profile, &count);
	if (frame->note || frame->module >= count)
		return NOTE;
	if (frame->inline_depth || frame->kernel)
		return frame->inline_depth ? INLINED : KERNEL;
	if (!frame->module)
		return NOTE;
	path = modules[frame->module].path;
	if (path && *path && strncmp(path, "/tmp/perf-", 10) != 0)
		return USER;
	return modules[frame->module].kernel || !strcmp(modules[frame->module].name, "[vdso]") ? USER : JIT;
}

/* Finds or adds the box of this name above *box, and sets *box to it. */
static int enter(struct picture *picture, uint32_t *box, enum kind kind, const char *name, const char *after)
{
	_cleanup_free_ char *key = NULL;
	int length = asprintf(&key, "%" PRIu32 " %s%s", *box, name, after), r;
	const uint32_t level = picture->boxes.items[*box].level + 1;
	struct box added = {.parent = *box, .level = level, .kind = kind};
	uint64_t *number;

	if (length < 0) {
		key = NULL;
		return -ENOMEM;
	}
	r = hash_map_add(&picture->known, key, (size_t)length, picture->boxes.count, &number);
	if (r < 0)
		return r;
	*box = (uint32_t)*number;
	if (!r)
		return 0;
	added.name = strdup(strchr(key, ' ') + 1);
	if (!added.name || array_push(&picture->boxes, added) < 0) {
		free(added.name);
		return -ENOMEM;
	}
	picture->levels = level > picture->levels ? level : picture->levels;
	return 0;
}

/* The group of --by, and the comm. */
static int enter_owner(struct picture *picture, const struct unique_stack *stack, uint32_t *box)
{
	const struct task_names *names = &picture->table.names;
	const struct groups *groups = &picture->table.groups;
	const char *comm = names->comms[stack->comm];
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r = 0;

	if (!out)
		return -ENOMEM;
	if (groups->field && !groups->field->is_comm) {
		groups_write(groups, stack->group, out);
		r = fflush(out) ? -ENOMEM : enter(picture, box, OWNER, text, "");
		rewind(out);
	}
	printable_write(out, comm, strlen(comm));
	if (picture->context->settings->per_process) {
		(void)fputc('-', out);
		task_names_write_process(names, stack->process, out);
	}
	(void)fputc('\0', out);
	if (fclose(out))
		return -ENOMEM;
	return r < 0 ? r : enter(picture, box, OWNER, text, "");
}

/* As in folded lines, a missing part of a sleeper's stack is a word of its own. */
static int enter_chain(struct picture *picture, bool no_user, uint32_t *box)
{
	const bool waits = picture->source->kind == PROFILE_OFFCPU;
	const struct view_settings *settings = picture->context->settings;
	struct functions *functions = picture->table.functions;
	const struct chain *chain = &picture->chain;
	uint32_t function;
	int r = 0;

	if (waits && no_user && !settings->kernel_only && chain->kernel_count == chain->frames.count)
		r = enter(picture, box, NOTE, "[Missed User Stack]", "");
	if (!waits && !chain->frames.count)
		r = enter(picture, box, NOTE, functions_name(functions, FUNCTION_NONE), "");
	for (size_t i = chain->frames.count; i-- > 0 && !r;) {
		r = functions_find(functions, chain->frames.items[i], &function) ?:
		    enter(picture, box, kind_of(picture, chain->frames.items[i]), functions_name(functions, function),
			  functions_inlined(functions, function));
	}
	if (!r && waits && !settings->user_only && !chain->kernel_count)
		r = enter(picture, box, NOTE, "[Missed Kernel Stack]", "");
	return r;
}

static int enter_stack(struct picture *picture, const struct unique_stack *stack)
{
	uint32_t box = 0;
	int r = chain_read(&picture->chain, picture->context->profile, stack->node) ?:
		enter_owner(picture, stack, &box) ?:
		enter_chain(picture, stack->user_missing, &box);

	if (r < 0)
		return r;
	picture->boxes.items[box].samples += stack->samples;
	picture->boxes.items[box].weight += stack->weight;
	return 0;
}

static int compare_boxes(const void *left, const void *right, void *context)
{
	const struct box *items = context, *l = &items[*(const uint32_t *)left], *r = &items[*(const uint32_t *)right];

	return COMPARE(l->level, r->level) ?: COMPARE(l->parent, r->parent) ?: strcmp(l->name, r->name);
}

/* Computes where each box begins: at the left edge of its parent, after its siblings with a lesser name. */
static int place(struct picture *picture)
{
	size_t count = picture->boxes.count;
	struct box *items = picture->boxes.items;
	_cleanup_free_ uint32_t *order = calloc(count + 1, sizeof(*order));
	uint64_t next = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = count; i-- > 1;) {
		items[items[i].parent].samples += items[i].samples;
		items[items[i].parent].weight += items[i].weight;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_boxes, items);
	for (size_t i = 1; i < count; i++) {
		struct box *box = &items[order[i]];

		box->left = i == 1 || items[order[i - 1]].parent != box->parent ? items[box->parent].left : next;
		next = box->left + box->weight;
	}
	return 0;
}

static int find_boxes(struct picture *picture, uint32_t number)
{
	const struct view_context *context = picture->context;
	bool by_missing = picture->source->kind == PROFILE_OFFCPU && !context->settings->kernel_only;
	int r = stack_table_init(&picture->table, context, number, FUNCTIONS_BY_NAME, by_missing) ?:
		hash_map_init(&picture->known) ?:
		array_push(&picture->boxes, (struct box){.kind = WHOLE, .name = strdup("all")}) ?:
		stack_table_fill(&picture->table, &picture->table.rows);

	for (size_t i = 0; i < picture->table.stacks.count && !r; i++)
		r = enter_stack(picture, &picture->table.stacks.items[i]);
	return r < 0 ? r : place(picture);
}

static void picture_deinit(struct picture *picture)
{
	for (size_t i = 0; i < picture->boxes.count; i++)
		free(picture->boxes.items[i].name);
	array_free(&picture->boxes);
	hash_map_deinit(&picture->known);
	chain_deinit(&picture->chain);
	stack_table_deinit(&picture->table);
}

/* --- text: of printable names, so it is UTF-8 without control characters --- */

/* The length of the next character in bytes, 1 if it is malformed. *ret_width: its columns. */
static size_t next_character(const char *text, size_t *ret_width)
{
	const unsigned char first = (unsigned char)*text;
	size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	for (size_t i = 1; i < length; i++)
		length = (text[i] & 0xc0) == 0x80 ? length : 1;
	*ret_width = length > 2 && memcmp(text, "\xe1\x84\x80", 3) >= 0 ? 2 : 1; /* from U+1100 on */
	return length;
}

static void write_character(FILE *out, const char *text, size_t length)
{
	static const char *const escapes[128] = {['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};
	const unsigned char first = (unsigned char)*text;
	const bool forbidden = !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3); /* U+FFFE .. */

	if (forbidden || first < 0x20 || (length == 1 && first >= 0x80))
		(void)fputc('?', out);
	else if (length == 1 && escapes[first])
		(void)fputs(escapes[first], out);
	else
		(void)fwrite(text, 1, length, out);
}

/* Writes at most `columns` columns; a wide character counts as two. A text that is cut ends in "..". */
static void write_text(FILE *out, const char *text, size_t columns)
{
	size_t all = 0, width, room;

	for (const char *at = text; *at; all += width)
		at += next_character(at, &width);
	room = all > columns ? columns - 2 : columns;
	while (*text) {
		size_t length = next_character(text, &width);

		if (width > room)
			break;
		room -= width;
		write_character(out, text, length);
		text += length;
	}
	if (all > columns)
		(void)fputs("..", out);
}

struct span { /* hundredths of a pixel */
	uint64_t left, width;
};

static struct span span_of(const struct picture *picture, const struct box *box)
{
	const unsigned __int128 room = (WIDTH - 2 * MARGIN) * FRACTION;
	uint64_t whole = picture->boxes.items[0].weight;
	uint64_t left = whole ? (uint64_t)(room * box->left / whole) : 0;
	uint64_t right = whole ? (uint64_t)(room * (box->left + box->weight) / whole) : 0;

	return (struct span){.left = left + MARGIN * FRACTION, .width = right - left};
}

static void write_place(FILE *out, const char *name, uint64_t hundredths)
{
	(void)fprintf(out, " %s='%" PRIu64 ".%02" PRIu64 "'", name, hundredths / FRACTION, hundredths % FRACTION);
}

/* "parse: 812.5 ms, 12.34 %, 813 samples; user" */
static void write_title(const struct picture *picture, const struct box *box)
{
	const struct profile_source *source = picture->source;
	FILE *out = picture->context->out;

	(void)fputs("<title>", out);
	write_text(out, box->name, TITLE_COLUMNS);
	(void)fputs(": ", out);
	if (!strcmp(source->weight_unit, "ns"))
		(void)fprintf(out, "%s ms, ", figure_milliseconds(box->weight).text);
	(void)fprintf(out, "%s %%, ", figure_percent(box->weight, page_total(source)).text);
	page_write_count(box->samples, page_unit(source), out);
	(void)fprintf(out, "; %s</title>", kinds[box->kind].what);
}

static void write_label(const struct picture *picture, const struct box *box, struct span span, unsigned int top)
{
	size_t columns = span.width > 2 * PADDING ? (span.width - 2 * PADDING) / CHARACTER : 0;
	FILE *out = picture->context->out;

	if (columns < LEAST_CHARACTERS)
		return;
	(void)fputs("<text", out);
	write_place(out, "x", span.left + PADDING);
	(void)fprintf(out, " y='%u'>", top + 12);
	write_text(out, box->name, columns);
	(void)fputs("</text>", out);
}

static void write_box(const struct picture *picture, const struct box *box, struct span span)
{
	bool icicle = picture->context->settings->icicle;
	unsigned int top = HEAD + ROW * (icicle ? box->level : picture->levels - box->level);
	FILE *out = picture->context->out;

	(void)fprintf(out, "<g class='%s' data-level='%" PRIu32 "' data-samples='%" PRIu64 "'",
		      kinds[box->kind].class, box->level, box->samples);
	(void)fprintf(out, " data-weight='%" PRIu64 "'>", box->weight);
	write_title(picture, box);
	(void)fprintf(out, "<rect%s", span.width < PADDING ? " class='x'" : " rx='2'");
	write_place(out, "x", span.left);
	write_place(out, "width", span.width);
	(void)fprintf(out, " y='%u' height='%u'/>", top, ROW - 1);
	if (box->kind == KERNEL && span.width > 2 * PADDING) {
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
	_cleanup_free_ struct hidden *hidden = calloc((size_t)picture->levels + 1, sizeof(*hidden));
	FILE *out = picture->context->out;

	if (!hidden)
		return -ENOMEM;
	for (size_t i = 0; i < picture->boxes.count; i++) {
		const struct box *box = &picture->boxes.items[i];
		struct span span = span_of(picture, box);

		if (span.width >= NARROWEST) {
			write_box(picture, box, span);
			continue;
		}
		hidden[box->level].boxes++;
		hidden[box->level].samples += box->samples;
		hidden[box->level].weight += box->weight;
	}
	(void)fputs("<metadata>\n", out);
	for (uint32_t i = 0; i <= picture->levels; i++)
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
		write_text(out, name, TITLE_COLUMNS / 4);
	}
	(void)fprintf(out, "</text>\n<text class='s' x='%d' y='37'>", MARGIN);
	write_text(out, text, HEAD_COLUMNS);
	(void)fputs("</text>\n", out);
	return 0;
}

static void write_legend(const struct picture *picture)
{
	unsigned int y = picture->height - 24, x = MARGIN;
	FILE *out = picture->context->out;

	for (enum kind kind = USER; kind < KINDS; kind++) {
		(void)fprintf(out, "<g class='%s'><rect x='%u' y='%u' width='26' height='14' rx='2'/>",
			      kinds[kind].class, x, y);
		if (kind == KERNEL)
			(void)fprintf(out, "<rect class='b' x='%u' y='%u' width='2' height='14'/>", x, y);
		(void)fprintf(out, "</g><text class='l' x='%u' y='%u'>%s</text>\n", x + 32, y + 11, kinds[kind].look);
		x += 32 + 7 * (unsigned int)strlen(kinds[kind].look) + 24;
	}
	(void)fprintf(out, "<text class='l' x='%d' y='%u' text-anchor='end'>", WIDTH - MARGIN, y + 11);
	(void)fprintf(out, "callers %s; narrower than 0.5 px is not drawn</text>\n",
		      picture->context->settings->icicle ? "above" : "below");
}

static int show_svg(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(picture_deinit) struct picture picture = {.context = context, .source = source};
	const char *shape = context->settings->icicle ? "icicle" : "flame";
	int r = find_boxes(&picture, number);

	if (r < 0)
		return r;
	picture.height = HEAD + ROW * (picture.levels + 1) + FOOT;
	(void)fprintf(context->out, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%u' "
				    "viewBox='0 0 %d %u' role='img'>\n<title>%s graph of %s</title>\n%s",
		      WIDTH, picture.height, WIDTH, picture.height, shape, page_kind_name(source->kind), style);
	r = write_head(&picture) ?: write_boxes(&picture);
	write_legend(&picture);
	(void)fputs("</svg>\n", context->out);
	return r;
}

static int parse_shape(struct view_settings *settings, const char *value)
{
	settings->icicle = value && !strcmp(value, "icicle");
	if (value && strcmp(value, "flame") != 0 && !settings->icicle)
		return log_error(EINVAL, "--svg must be flame or icicle, not '%s'", value);
	return 0;
}

const struct view svg_view = {
	VIEW_ARGUMENT("svg", "[=SHAPE]", .help = "a flame graph of one source, or icicle"),
	.print = show_svg, .parse = parse_shape, .kinds = VIEW_ANY_KIND, .by = true, .bare = true, .exports = true,
};
