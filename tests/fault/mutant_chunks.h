/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Changes of chunks, file headers and trailers, and of their number and order. */
#pragma once

#include "tests/fault/mutant.h"

static inline size_t mutant_any_place(struct mutant_scene *scene)
{
	return scene->mutant.count ? random_below(&scene->random, scene->mutant.count) : 0;
}

static inline void remove_piece(struct mutant_scene *scene)
{
	if (scene->mutant.count > 1)
		mutant_remove(&scene->mutant, mutant_any_place(scene));
}

static inline void repeat_piece(struct mutant_scene *scene)
{
	size_t from = mutant_any_place(scene), to = mutant_any_place(scene);

	if (scene->mutant.count)
		mutant_insert(&scene->mutant, to, &scene->mutant.pieces[from]);
}

static inline void swap_pieces(struct mutant_scene *scene)
{
	struct mutant_piece *a = &scene->mutant.pieces[mutant_any_place(scene)];
	struct mutant_piece *b = &scene->mutant.pieces[mutant_any_place(scene)], kept = *a;

	*a = *b;
	*b = kept;
}

static inline void transplant_piece(struct mutant_scene *scene)
{
	const struct mutant *donor = &scene->seeds[random_below(&scene->random, scene->seed_count)];

	mutant_insert(&scene->mutant, mutant_any_place(scene),
		      &donor->pieces[random_below(&scene->random, donor->count)]);
}

/* Appends the pieces of another seed: one more section, or, without its header, foreign chunks. */
static inline void join_seeds(struct mutant_scene *scene)
{
	const struct mutant *donor = &scene->seeds[random_below(&scene->random, scene->seed_count)];

	for (size_t i = mutant_once_in(&scene->random, 4); i < donor->count; i++)
		mutant_insert(&scene->mutant, scene->mutant.count, &donor->pieces[i]);
}

static inline void insert_junk(struct mutant_scene *scene)
{
	size_t length = 1 + random_below(&scene->random, 200);
	uint8_t *bytes = mutant_scrap(&scene->scraps, length);
	struct mutant_piece junk = {.kind = MUTANT_JUNK, .payload = bytes, .length = bytes ? length : 0};

	for (size_t i = 0; i < junk.length; i++)
		bytes[i] = (uint8_t)random_next(&scene->random);
	mutant_insert(&scene->mutant, mutant_any_place(scene), &junk);
}

static inline void change_chunk(struct mutant_scene *scene)
{
	struct mutant_piece *piece = mutant_any_chunk(&scene->random, &scene->mutant);
	struct random *random = &scene->random;

	if (!piece)
		return;
	switch (random_below(random, 8)) {
	case 0:
		piece->chunk.type =
			(uint16_t)(mutant_once_in(random, 8) ? random_next(random) : random_below(random, 9));
		piece->own = true;
		break;
	case 1:
		piece->chunk.flags = (uint8_t)random_next(random);
		break;
	case 2:
		piece->chunk.sequence = mutant_number(random, piece->chunk.sequence);
		break;
	case 3:
		piece->chunk.first_time = mutant_number(random, piece->chunk.first_time);
		break;
	case 4:
		piece->chunk.last_time = mutant_number(random, piece->chunk.last_time);
		break;
	case 5:
		piece->plain = !piece->plain;
		break;
	default:
		piece->lie = (enum mutant_lie)random_below(random, LIE_BYTES + 1);
		piece->lie_value = (uint32_t)mutant_number(random, piece->length);
	}
}

/* Changes numbers of fixed size, as INDEX has them; in records they are noise. */
static inline void change_payload(struct mutant_scene *scene)
{
	struct mutant_piece *piece = mutant_any_chunk(&scene->random, &scene->mutant);
	size_t size = 1ULL << random_below(&scene->random, 4), at;
	uint64_t number = 0;

	if (!piece || piece->length < size)
		return;
	at = random_below(&scene->random, piece->length / size) * size;
	memcpy(&number, piece->payload + at, size);
	number = mutant_number(&scene->random, number);
	mutant_splice(&scene->scraps, piece, at, size, (const uint8_t *)&number, size);
}

static inline void cut_payload(struct mutant_scene *scene)
{
	struct mutant_piece *piece = mutant_any_chunk(&scene->random, &scene->mutant);
	size_t left;

	if (!piece || !piece->length)
		return;
	left = random_below(&scene->random, piece->length);
	mutant_splice(&scene->scraps, piece, left, piece->length - left, NULL, 0);
}
