/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/digest/digest_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST = 40 };

/* --- collecting --- */

int digest_line_begin(struct digest_lines *lines, const char *label, enum digest_rank rank)
{
	struct digest_line *line = &lines->items[lines->count];

	if (lines->count == DIGEST_MOST)
		return -ENOMEM;
	*line = (struct digest_line){.label = label, .rank = rank};
	lines->text = open_memstream(&line->text, &lines->text_length);
	lines->proof = open_memstream(&line->proof, &lines->proof_length);
	lines->count++;
	return lines->text && lines->proof ? 0 : -ENOMEM;
}

static int close_stream(FILE **stream)
{
	int r = *stream && fclose(*stream) ? -ENOMEM : 0;

	*stream = NULL;
	return r;
}

int digest_line_end(struct digest_lines *lines)
{
	int text = close_stream(&lines->text), proof = close_stream(&lines->proof);

	return text < 0 ? text : proof;
}

int digest_line_add(struct digest_lines *lines, const char *label, enum digest_rank rank, const char *text,
		    const char *proof)
{
	int r = digest_line_begin(lines, label, rank);

	if (r < 0)
		return r;
	(void)fputs(text, lines->text);
	(void)fputs(proof ? proof : "", lines->proof);
	return digest_line_end(lines);
}

void digest_lines_deinit(struct digest_lines *lines)
{
	(void)digest_line_end(lines);
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
