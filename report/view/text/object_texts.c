/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/object_texts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/view/text/object_text.h"

int object_texts_init(struct object_texts *texts, const struct waits *waits)
{
	const struct profile_object *objects;

	*texts = (struct object_texts){.waits = waits};
	texts->number_of = calloc(profile_objects(waits->profile, &objects) + 1, sizeof(*texts->number_of));
	return texts->number_of ? hash_map_init(&texts->known) : -ENOMEM;
}

void object_texts_deinit(struct object_texts *texts)
{
	for (size_t i = 0; i < texts->items.count; i++)
		free(texts->items.items[i]);
	array_free(&texts->items);
	hash_map_deinit(&texts->known);
	free(texts->number_of);
	*texts = (struct object_texts){0};
}

bool object_texts_are_few(const struct object_texts *texts)
{
	const struct profile_object *objects;

	return profile_objects(texts->waits->profile, &objects) <= OBJECT_TEXTS_FEW;
}

static int number_text(struct object_texts *texts, uint32_t object)
{
	_cleanup_free_ char *text = NULL;
	uint64_t *known;
	int r = object_to_text(&texts->waits->objects[object], &text);

	if (!r)
		r = hash_map_add(&texts->known, text, strlen(text), texts->items.count, &known);
	if (r < 0)
		return r;
	texts->number_of[object] = (uint32_t)*known + 1;
	if (!r)
		return 0;
	r = array_push(&texts->items, text);
	if (!r)
		text = NULL;
	return r;
}

int object_texts_find(struct object_texts *texts, uint32_t object, uint32_t *ret_text)
{
	int r = 0;

	*ret_text = OBJECT_NO_TEXT;
	if (object && !texts->number_of[object])
		r = number_text(texts, object);
	if (!r && object)
		*ret_text = texts->number_of[object] - 1;
	return r;
}

int object_texts_key(struct object_texts *texts, const struct profile_wait *wait, bool apart,
		     struct object_key *ret_key)
{
	const uint32_t thing = wait->object;
	const bool matters = apart || (!wait->object && wait->operation &&
				       texts->waits->operations[wait->operation].many);
	int r = object_texts_find(texts, thing, &ret_key->thing);

	ret_key->operation = wait->operation;
	ret_key->ready = OBJECT_NO_TEXT;
	ret_key->timed_out = matters && wait->held & PROFILE_TIMED_OUT;
	if (r < 0 || !matters)
		return r;
	return object_texts_find(texts, wait->ready, &ret_key->ready);
}

const char *object_text(const struct object_texts *texts, uint32_t text)
{
	return text < texts->items.count ? texts->items.items[text] : "";
}
