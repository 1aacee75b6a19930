/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/wait/digest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_waits.h"
#include "report/view/page.h"
#include "report/view/view.h"

enum { NARROWEST = 40 };

/* --- collecting --- */

int digest_lines_init(struct digest_lines *lines)
{
	*lines = (struct digest_lines){0};
	lines->text = open_memstream(&lines->text_bytes, &lines->text_length);
	lines->proof = open_memstream(&lines->proof_bytes, &lines->proof_length);
	return lines->text && lines->proof ? 0 : -ENOMEM;
}

void digest_line_begin(struct digest_lines *lines, const char *label, enum digest_rank rank, const char *proof)
{
	lines->label = label;
	lines->rank = rank;
	rewind(lines->text);
	rewind(lines->proof);
	(void)fputs(proof, lines->proof);
}

int digest_line_end(struct digest_lines *lines)
{
	struct digest_line *line = &lines->items[lines->count];

	if (lines->count == DIGEST_MOST || fflush(lines->text) || fflush(lines->proof))
		return -ENOMEM;
	*line = (struct digest_line){.label = lines->label, .rank = lines->rank};
	line->text = strndup(lines->text_bytes, lines->text_length);
	line->proof = strndup(lines->proof_bytes, lines->proof_length);
	lines->count++;
	return line->text && line->proof ? 0 : -ENOMEM;
}

int digest_line_add(struct digest_lines *lines, const char *label, enum digest_rank rank, const char *text,
		    const char *proof)
{
	digest_line_begin(lines, label, rank, proof);
	(void)fputs(text, lines->text);
	return digest_line_end(lines);
}

void digest_lines_deinit(struct digest_lines *lines)
{
	if (lines->text)
		(void)fclose(lines->text);
	if (lines->proof)
		(void)fclose(lines->proof);
	free(lines->text_bytes);
	free(lines->proof_bytes);
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->items[i].text);
		free(lines->items[i].proof);
	}
	lines->count = 0;
}

/* --- writing --- */

struct folding {
	FILE *out; /* NULL: lines are only counted */
	unsigned int width, column;
	size_t lines;
};

static unsigned int columns_of(const char *text, size_t length)
{
	unsigned int columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80; /* not within a UTF-8 character */
	return columns;
}

static void put(const struct folding *folding, const char *text, size_t length)
{
	if (folding->out)
		(void)fwrite(text, 1, length, folding->out);
}

static void put_spaces(const struct folding *folding, unsigned int count)
{
	if (folding->out)
		(void)fprintf(folding->out, "%*s", (int)count, "");
}

/* One word, `gap` columns after the one before, or on a line of its own. */
static void put_word(struct folding *folding, const char *word, size_t length, unsigned int gap)
{
	unsigned int columns = columns_of(word, length);

	if (folding->width && folding->column > DIGEST_LABEL && folding->column + gap + columns > folding->width) {
		put(folding, "\n", 1);
		put_spaces(folding, DIGEST_LABEL);
		folding->column = DIGEST_LABEL;
		folding->lines++;
		gap = 0;
	}
	put_spaces(folding, folding->column > DIGEST_LABEL ? gap : 0);
	put(folding, word, length);
	folding->column += columns + (folding->column > DIGEST_LABEL ? gap : 0);
}

static void put_words(struct folding *folding, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " ");

		put_word(folding, text, length, 1);
		text += length;
		text += *text == ' ';
	}
}

/* Options are not broken if they fit on one line. */
static void put_proof(struct folding *folding, const char *proof)
{
	size_t length = strlen(proof);
	char *text;

	if (!length || asprintf(&text, "[%s]", proof) < 0)
		return;
	if (folding->width && columns_of(text, length + 2) + DIGEST_LABEL > folding->width)
		put_words(folding, text);
	else
		put_word(folding, text, length + 2, 2);
	free(text);
}

static void put_line(struct folding *folding, const struct digest_line *line)
{
	unsigned int label = columns_of(line->label, strlen(line->label));

	folding->lines++;
	folding->column = DIGEST_LABEL;
	put(folding, line->label, strlen(line->label));
	put_spaces(folding, label < DIGEST_LABEL ? DIGEST_LABEL - label : 1);
	put_words(folding, line->text);
	put_proof(folding, line->proof);
	put(folding, "\n", 1);
}

static size_t count_lines(const struct digest_lines *lines, unsigned int width)
{
	struct folding folding = {.width = width};

	for (size_t i = 0; i < lines->count; i++)
		put_line(&folding, &lines->items[i]);
	return folding.lines;
}

static bool drop_one(struct digest_lines *lines)
{
	size_t worst = 0;

	for (size_t i = 0; i < lines->count; i++)
		if (lines->items[i].rank >= lines->items[worst].rank)
			worst = i;
	if (!lines->count || lines->items[worst].rank == DIGEST_FIRST)
		return false;
	free(lines->items[worst].text);
	free(lines->items[worst].proof);
	lines->count--;
	memmove(&lines->items[worst], &lines->items[worst + 1], (lines->count - worst) * sizeof(lines->items[0]));
	return true;
}

void digest_lines_write(struct digest_lines *lines, unsigned int width, FILE *out)
{
	struct folding folding = {.out = out, .width = width && width < NARROWEST ? NARROWEST : width};

	while (count_lines(lines, folding.width) > DIGEST_LINES && drop_one(lines))
		;
	for (size_t i = 0; i < lines->count; i++)
		put_line(&folding, &lines->items[i]);
}

/* --- digest --- */

static void digest_deinit(struct digest *digest)
{
	digest_lines_deinit(&digest->lines);
	thread_times_deinit(&digest->times);
	chains_tables_deinit(&digest->tables);
	throughout_deinit(&digest->throughout);
}

static uint32_t first_source(const struct digest *digest, enum profile_source_kind kind)
{
	for (size_t i = 0; i < digest->source_count; i++)
		if (digest->sources[i].kind == kind && digest->sources[i].samples)
			return (uint32_t)i;
	return DIGEST_NO_SOURCE;
}

static void count_threads(struct digest *digest)
{
	for (size_t i = 0; i < digest->tables.index.thread_count; i++) {
		const struct thread_time *row = &digest->times.rows[i];

		if (row->asked && profile_task_apart(digest->context->profile, row->task) == PROFILE_NOTHING_DONE)
			digest->kernel_threads++;
		else
			digest->threads += row->asked;
	}
}

static int group_throughout(struct digest *digest)
{
	const struct waits *waits = &digest->tables.waits;
	int r = 0;

	for (size_t i = 0; i < waits->count && !r; i++) {
		const struct profile_wait *wait = &waits->items[i];

		if (wait->source == digest->waits && wait_is_asked(waits, wait) &&
		    profile_wait_is_throughout(waits->tasks, wait))
			r = throughout_add(&digest->throughout, wait);
	}
	return r;
}

static int digest_init(struct digest *digest, const struct view_context *context)
{
	int r;

	*digest = (struct digest){.context = context, .victim = PROFILE_NO_TASK};
	digest->source_count = profile_sources(context->profile, &digest->sources);
	digest->cpu = first_source(digest, PROFILE_CPU);
	digest->waits = first_source(digest, PROFILE_OFFCPU);
	r = digest_lines_init(&digest->lines) ?:
	    chains_tables_init(&digest->tables, context) ?:
	    thread_times_init(&digest->times, &digest->tables.index) ?:
	    throughout_init(&digest->throughout, context->profile, &digest->tables.places) ?:
	    group_throughout(digest);
	if (!r)
		count_threads(digest);
	return r;
}

/*
 * Bytes that are special in an expression are put in brackets. Bytes that a shell, a terminal or a
 * locale might change are replaced by an expression for any text.
 */
void digest_write_comm(const char *comm, FILE *out)
{
	bool any = false;

	(void)fputs("'^", out);
	for (const char *c = comm; *c; c++) {
		bool odd = (unsigned char)*c < ' ' || (unsigned char)*c > '~' || *c == '\'' || *c == '\\' || *c == '^';

		if (odd && !any)
			(void)fputs(".*", out);
		else if (!odd && strchr(".[]*$+?(){}|", *c))
			(void)fprintf(out, "[%c]", *c);
		else if (!odd)
			(void)fputc(*c, out);
		any = odd;
	}
	(void)fputs("$'", out);
}

void digest_write_share(uint64_t part, uint64_t whole, FILE *out)
{
	(void)fprintf(out, "%s%% ", figure_percent(part, whole).text);
}

static int show_digest(const struct view_context *context)
{
	static digest_part *const parts[] = {
		digest_add_origin, digest_add_times, digest_add_heaviest, digest_add_stories,
		digest_add_pressure, digest_add_walks, digest_add_notes,
	};
	_cleanup_(digest_deinit) struct digest digest;
	int r = digest_init(&digest, context);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !r; i++)
		r = parts[i](&digest);
	if (!r)
		digest_lines_write(&digest.lines, context->settings->width, context->out);
	return r;
}

const struct view digest_view = {
	VIEW_OPTION("digest", .help = "the first screen: where time went, and what held whom", .often = true),
	.print_all = show_digest, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EVERYONE, .whole = true,
};

/* --- digest origin --- */

/* The host, how long it was recorded, and the sources. */

static void write_name(const char *name, FILE *out)
{
	if (name[0])
		printable_write(out, name, strlen(name));
	else
		(void)fputs("unknown", out);
}

/* "db1, 2 CPUs, 6.12.1 x86_64; 2026-11-22 17:10:42 UTC, for 2.10 s" */
static void write_origin(const struct profile_origin *origin, FILE *out)
{
	write_name(origin->host, out);
	if (origin->cpus)
		(void)fprintf(out, ", %" PRIu64 " CPU%s", origin->cpus, plural(origin->cpus));
	if (origin->kernel[0]) {
		(void)fputs(", ", out);
		write_name(origin->kernel, out);
	}
	if (origin->machine[0]) {
		(void)fputc(' ', out);
		write_name(origin->machine, out);
	}
	(void)fprintf(out, "; %s UTC, for %s s", figure_date(origin->realtime).text,
		      figure_seconds(origin->length).text);
}

static int add_hosts(struct digest *digest)
{
	struct profile *profile = digest->context->profile;
	size_t count = profile_origins(profile);
	struct profile_origin origin;

	digest_line_begin(&digest->lines, "host", DIGEST_FIRST, "--info");
	if (count) {
		profile_origin(profile, 0, &origin);
		write_origin(&origin, digest->lines.text);
	}
	if (count > 1)
		(void)fprintf(digest->lines.text, "; and %zu more recording%s", count - 1, plural(count - 1));
	return digest_line_end(&digest->lines);
}

/* "cpu cpu-clock 2328 samples in 2.03 s" */
static void write_source(const struct profile_source *source, FILE *out)
{
	const char *kind = page_kind_name(source->kind);

	(void)fputs(kind, out);
	if (source->name && source->name[0] && strcmp(source->name, kind) != 0) {
		(void)fputc(' ', out);
		printable_write(out, source->name, strlen(source->name));
	}
	(void)fputs(": ", out);
	page_write_count(source->samples, page_unit(source), out);
	if (source->duration)
		(void)fprintf(out, " in %s s", figure_seconds(source->duration).text);
}

static int add_sources(struct digest *digest)
{
	enum { SHOWN = 4 };
	size_t shown = 0, more = 0;

	digest_line_begin(&digest->lines, "sources", DIGEST_FIRST, "--info");
	for (size_t i = 0; i < digest->source_count; i++) {
		if (digest->sources[i].left_out)
			continue;
		if (shown == SHOWN) {
			more++;
			continue;
		}
		(void)fputs(shown++ ? "; " : "", digest->lines.text);
		write_source(&digest->sources[i], digest->lines.text);
	}
	if (!shown)
		(void)fputs("none", digest->lines.text);
	if (more)
		(void)fprintf(digest->lines.text, "; and %zu more", more);
	return digest_line_end(&digest->lines);
}

int digest_add_origin(struct digest *digest)
{
	const char *filters = digest->context->settings->filters;
	int r = digest_line_add(&digest->lines, "# digest", DIGEST_FIRST,
				"computed from the trace; the options in brackets print what a line says", "") ?:
		add_hosts(digest) ?:
		add_sources(digest);

	if (r < 0 || !filters[0])
		return r;
	digest_line_begin(&digest->lines, "filters", DIGEST_FIRST, "");
	(void)fprintf(digest->lines.text, "%s: the options in brackets need them, too", filters);
	return digest_line_end(&digest->lines);
}

/* --- digest notes --- */

/* What is unreliable, and what to type next. */

enum { NOTES_SHOWN = 2 };

static int add_note(struct digest *digest, const char *label, const struct profile_account_note *note)
{

	digest_line_begin(&digest->lines, label, label[0] ? DIGEST_MAIN : DIGEST_LEAST, "");
	printable_write_line(digest->lines.text, note->text, strlen(note->text));
	return digest_line_end(&digest->lines);
}

static int add_notes(struct digest *digest)
{
	struct profile_account account;
	char text[64];
	int r = 0;

	profile_account(digest->context->profile, &account);
	for (size_t i = 0; i < account.count && i < NOTES_SHOWN && !r; i++)
		r = add_note(digest, i ? "" : "unreliable", &account.notes[i]);
	if (r < 0 || account.count <= NOTES_SHOWN)
		return r;
	(void)snprintf(text, sizeof(text), "%zu more note%s", account.count - NOTES_SHOWN,
		       plural(account.count - NOTES_SHOWN));
	return digest_line_add(&digest->lines, "", DIGEST_LEAST, text, "--info");
}

static bool has_walks(const struct digest *digest)
{
	for (size_t i = 0; i < digest->source_count; i++)
		if (digest->sources[i].kind == PROFILE_TASKS && digest->sources[i].samples)
			return true;
	return false;
}

static int add_next(struct digest *digest)
{
	const struct profile_task *tasks = digest->tables.waits.tasks;
	FILE *text;

	digest_line_begin(&digest->lines, "next", DIGEST_FIRST, "");
	text = digest->lines.text;
	if (digest->victim != PROFILE_NO_TASK) {
		(void)fputs("--chains=", text);
		digest_write_comm(tasks[digest->victim].comm, text);
		(void)fputs(" (what held it), ", text);
	}
	if (digest->cpu != DIGEST_NO_SOURCE)
		(void)fputs("--tree --source cpu (who called what), ", text);
	else if (digest->waits != DIGEST_NO_SOURCE)
		(void)fputs("--top-waits (the longest single waits), ", text);
	if (has_walks(digest))
		(void)fprintf(text, "--tasks%s (every task and its stack), ", digest->stuck ? " --state D" : "");
	(void)fputs("--info (what was recorded and lost)", text);
	return digest_line_end(&digest->lines);
}

int digest_add_notes(struct digest *digest)
{
	return add_notes(digest) ?: add_next(digest);
}
