/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Mutant number N: everything about it follows from its number and the seeds. */
#pragma once

#include "tests/fault/mutant_chunks.h"
#include "tests/fault/mutant_texts.h"
#include "tests/fault/mutant_write.h"

static inline void change_file_header(struct mutant_scene *scene, struct rwk_file_header *file)
{
	struct random *random = &scene->random;

	switch (random_below(random, 8)) {
	case 0:
		file->version = (uint32_t)mutant_number(random, file->version);
		break;
	case 1:
		file->version = RWK_VERSION + (uint32_t)random_below(random, 3) - 1;
		break;
	case 2:
		file->header_size = (uint32_t)(8 * random_below(random, 600));
		break;
	case 3:
		file->incompatible = mutant_number(random, file->incompatible);
		break;
	case 4:
		file->compatible = mutant_number(random, file->compatible);
		break;
	case 5:
		file->section_id[random_below(random, sizeof(file->section_id))]++;
		break;
	case 6:
		file->realtime = mutant_number(random, file->realtime);
		break;
	default:
		file->max_raw = (uint32_t)mutant_number(random, file->max_raw);
	}
}

static inline void change_trailer(struct mutant_scene *scene, struct mutant_piece *piece)
{
	struct rwk_trailer *trailer = &piece->trailer;

	piece->own = true;
	trailer->chunk_count = mutant_number(&scene->random, trailer->chunk_count);
	trailer->index_offset = mutant_number(&scene->random, trailer->index_offset);
	trailer->end_reason = (uint32_t)mutant_number(&scene->random, trailer->end_reason);
}

static inline void change_ends(struct mutant_scene *scene)
{
	struct mutant_piece *piece = &scene->mutant.pieces[mutant_any_place(scene)];

	if (piece->kind == MUTANT_HEADER || mutant_once_in(&scene->random, 8))
		piece = &scene->mutant.pieces[0];
	else
		piece = &scene->mutant.pieces[scene->mutant.count - 1];
	if (piece->kind == MUTANT_HEADER)
		change_file_header(scene, &piece->file);
	else if (piece->kind == MUTANT_TRAILER)
		change_trailer(scene, piece);
}

static inline void mutant_edit_trace(struct mutant_scene *scene)
{
	static void (*const edits[])(struct mutant_scene *scene) = {
		remove_piece, repeat_piece, swap_pieces, transplant_piece, join_seeds, insert_junk, change_chunk,
		change_chunk, change_chunk, change_payload, change_payload, cut_payload, change_ends, change_ends};

	edits[random_below(&scene->random, sizeof(edits) / sizeof(*edits))](scene);
}

/* In five of eight mutants only records are changed: nothing else makes their chunks suspect. */
static inline void mutant_make(struct mutant_scene *scene, uint64_t number, struct mutant_writer *writer)
{
	bool records_only;

	scene->random = random_make(number);
	scene->scraps.used = 0;
	scene->mutant = scene->seeds[random_below(&scene->random, scene->seed_count)];
	records_only = random_below(&scene->random, 8) < 5;
	for (uint64_t edits = 1 + random_below(&scene->random, 6); edits; edits--)
		if (records_only || mutant_once_in(&scene->random, 2))
			mutant_edit_record(scene);
		else
			mutant_edit_trace(scene);
	mutant_write(writer, &scene->mutant);
	if (!records_only && mutant_once_in(&scene->random, 8))
		writer->length -= random_below(&scene->random, writer->length + 1);
}
