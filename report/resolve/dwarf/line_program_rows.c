/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The result of a line number program: its rows in order, and the paths of its files. */
#include <stdio.h>

#include "report/resolve/dwarf/line_program.h"

static int compare_sequences(const void *left, const void *right)
{
	const struct line_sequence *l = left, *r = right;

	if (l->low != r->low)
		return l->low < r->low ? -1 : 1;
	return (l->first > r->first) - (l->first < r->first);
}

/* Addresses from `end` on belong to another sequence. */
static int add_sequence(const struct line_program *program, const struct line_sequence *sequence,
			uint64_t end, struct line_index *index)
{
	struct line_row gap = {.address = sequence->high, .file = LINE_NO_FILE};
	int r = 0;

	for (size_t i = 0; i < sequence->count && !r; i++) {
		const struct line_row *row = &program->rows.items[sequence->first + i];

		if (row->address >= end || row->address >= gap.address)
			break;
		r = line_index_add_row(index, row);
	}
	return r < 0 || gap.address >= end ? r : line_index_add_row(index, &gap);
}

int line_program_add_rows(struct line_program *program, struct line_index *index)
{
	struct line_sequence *sequences = program->sequences.items;
	size_t count = program->sequences.count;
	int r = 0;

	if (count)
		qsort(sequences, count, sizeof(*sequences), compare_sequences);
	for (size_t i = 0; i < count && !r; i++)
		r = add_sequence(program, &sequences[i],
				 i + 1 < count ? sequences[i + 1].low : UINT64_MAX, index);
	return r;
}

static const char *directory_of(const struct line_program *program, const struct line_file *file)
{
	uint64_t number = file->directory;

	if (program->version < 5 && !number--)
		return "";
	return number < program->directories.count ? program->directories.items[number] : "";
}

char *line_program_path(const struct line_program *program, uint64_t file, const char *directory)
{
	const char *parts[2] = {"", ""}, *name;
	uint64_t number = file - (program->version < 5);
	char *path;

	if (number >= program->files.count)
		return NULL;
	name = program->files.items[number].name;
	if (!name[0])
		return NULL;
	if (name[0] != '/')
		parts[1] = directory_of(program, &program->files.items[number]);
	if (name[0] != '/' && parts[1][0] != '/' && directory)
		parts[0] = directory;
	if (asprintf(&path, "%s%s%s%s%s", parts[0], parts[0][0] ? "/" : "", parts[1],
		     parts[1][0] ? "/" : "", name) < 0)
		return NULL;
	return path;
}
