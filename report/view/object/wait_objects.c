/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/object/wait_objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/view/page/object_text.h"

struct member {
	uint64_t length;
	uint32_t row;
};

struct sorter {
	struct wait_objects *objects;
	const struct view_context *context;
	struct hash_map known_texts, known_rows;
	ARRAY(char *) texts;
	ARRAY(struct wait_object_row) rows;
	ARRAY(struct member) members;
	uint32_t *text_of; /* by object, plus 1; 0: not asked for yet */
};

static void sorter_deinit(struct sorter *sorter)
{
	hash_map_deinit(&sorter->known_texts);
	hash_map_deinit(&sorter->known_rows);
	array_free(&sorter->members);
	array_free(&sorter->rows);
	free(sorter->text_of);
}

/* --- texts --- */

static int make_text(const struct profile_object *object, char **ret_text)
{
	size_t length;
	FILE *stream = open_memstream(ret_text, &length);

	if (!stream)
		return -ENOMEM;
	object_write(stream, object);
	return fclose(stream) ? -ENOMEM : 0;
}

static int find_text(struct sorter *sorter, uint32_t number, uint32_t *ret_text)
{
	_cleanup_free_ char *text = NULL;
	uint64_t *known;
	int r;

	if (sorter->text_of[number]) {
		*ret_text = sorter->text_of[number] - 1;
		return 0;
	}
	r = make_text(&sorter->objects->waits.objects[number], &text);
	if (!r)
		r = hash_map_add(&sorter->known_texts, text, strlen(text), sorter->texts.count, &known);
	if (r < 0)
		return r;
	*ret_text = (uint32_t)*known;
	sorter->text_of[number] = *ret_text + 1;
	if (!r)
		return 0;
	r = array_push(&sorter->texts, text);
	if (!r)
		text = NULL;
	return r;
}

/* --- rows --- */

/* What some of them lack counts as different. */
static void add_held(struct profile_wait *alike, const struct profile_wait *wait)
{
	const unsigned int differs = alike->held ^ wait->held;

	alike->held &= (uint8_t)~differs;
	if (differs & PROFILE_HELD_BY_OWNER || alike->owner != wait->owner)
		alike->held &= PROFILE_HELD_FROM_READING;
	if (alike->ready != wait->ready || alike->ready_descriptor != wait->ready_descriptor)
		alike->ready = alike->ready_descriptor = 0;
}

static void add_asked(struct wait_object_row *row, uint64_t asked)
{
	row->asked = asked > row->asked ? asked : row->asked;
	row->least_asked = asked < row->least_asked ? asked : row->least_asked;
}

static int add_to_row(struct sorter *sorter, uint32_t number, uint32_t text)
{
	const struct profile_wait *wait = &sorter->objects->waits.items[number];
	const uint32_t key[3] = {text, wait->operation, sorter->objects->names.comm_of[wait->task]};
	uint64_t run_queue = wait->run_queue < wait->weight ? wait->run_queue : wait->weight, *known;
	struct wait_object_row *row;
	int r = hash_map_add(&sorter->known_rows, key, sizeof(key), sorter->rows.count, &known);

	if (r > 0)
		r = array_push(&sorter->rows, (struct wait_object_row){.text = text, .operation = key[1],
								       .comm = key[2], .alike = *wait,
								       .least_asked = UINT64_MAX});
	if (r < 0)
		return r;
	row = &sorter->rows.items[*known];
	row->count++;
	row->blocked = wait_add(row->blocked, wait->weight - run_queue);
	row->run_queue = wait_add(row->run_queue, run_queue);
	add_asked(row, wait->asked);
	add_held(&row->alike, wait);
	sorter->objects->weight = wait_add(sorter->objects->weight, wait->weight);
	return array_push(&sorter->members, (struct member){wait_length(wait), (uint32_t)*known});
}

static void leave_out(struct wait_object_count *count, const struct profile_wait *wait)
{
	count->waits++;
	count->weight = wait_add(count->weight, wait->weight);
}

static int add_wait(struct sorter *sorter, uint32_t number)
{
	const struct profile_wait *wait = &sorter->objects->waits.items[number];
	const uint32_t wanted = sorter->context->settings->waits_on;
	uint32_t text = UINT32_MAX;
	int r = 0;

	if (wait->wait_class != PROFILE_BLOCKED) {
		leave_out(&sorter->objects->runnable, wait);
		return 0;
	}
	if (!wait_has_object(&sorter->objects->waits, wait)) {
		leave_out(&sorter->objects->unknown, wait);
		return 0;
	}
	if (wanted && (!wait->object || sorter->objects->waits.objects[wait->object].kind != wanted))
		return 0;
	if (wait->object)
		r = find_text(sorter, wait->object, &text);
	return r < 0 ? r : add_to_row(sorter, number, text);
}

static int add_waits(struct sorter *sorter, uint32_t source)
{
	const struct waits *waits = &sorter->objects->waits;
	int r = 0;

	for (uint32_t i = 0; i < waits->count && !r; i++)
		if (waits->items[i].source == source && wait_is_shown(&waits->items[i]))
			r = add_wait(sorter, i);
	return r;
}

/* --- order --- */

static int compare_members(const void *left, const void *right)
{
	const struct member *l = left, *r = right;

	if (l->row != r->row)
		return l->row < r->row ? -1 : 1;
	return (l->length > r->length) - (l->length < r->length);
}

static int compare_texts(const struct wait_objects *objects, uint32_t left, uint32_t right)
{
	const char *l = left < objects->text_count ? objects->texts[left] : "";
	const char *r = right < objects->text_count ? objects->texts[right] : "";

	return strcmp(l, r);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct wait_objects *objects = context;
	const struct wait_object_row *l = left, *r = right;
	const uint64_t of_l = wait_add(l->blocked, l->run_queue), of_r = wait_add(r->blocked, r->run_queue);
	int order = compare_texts(objects, l->text, r->text);

	if (of_l != of_r)
		return of_l > of_r ? -1 : 1;
	if (!order)
		order = strcmp(objects->waits.operations[l->operation].name,
			       objects->waits.operations[r->operation].name);
	return order ? order : (l->comm > r->comm) - (l->comm < r->comm);
}

static int finish(struct sorter *sorter)
{
	struct wait_objects *objects = sorter->objects;
	size_t count = sorter->members.count;

	objects->texts = sorter->texts.items;
	objects->text_count = sorter->texts.count;
	objects->lengths = calloc(count + 1, sizeof(*objects->lengths));
	if (!objects->lengths)
		return -ENOMEM;
	if (count)
		qsort(sorter->members.items, count, sizeof(*sorter->members.items), compare_members);
	for (size_t i = count; i-- > 0;) {
		objects->lengths[i] = sorter->members.items[i].length;
		sorter->rows.items[sorter->members.items[i].row].first = i;
	}
	objects->rows = sorter->rows.items;
	objects->row_count = sorter->rows.count;
	sorter->rows.items = NULL;
	if (objects->row_count)
		qsort_r(objects->rows, objects->row_count, sizeof(*objects->rows), compare_rows, objects);
	return 0;
}

int wait_objects_init(struct wait_objects *objects, const struct view_context *context, uint32_t source)
{
	_cleanup_(sorter_deinit) struct sorter sorter = {.objects = objects, .context = context};
	const struct profile_object *items;
	int r;

	*objects = (struct wait_objects){0};
	r = waits_init(&objects->waits, context->profile);
	if (!r)
		r = task_names_init(&objects->names, context->profile);
	if (!r)
		r = hash_map_init(&sorter.known_texts);
	if (!r)
		r = hash_map_init(&sorter.known_rows);
	if (r < 0)
		return r;
	sorter.text_of = calloc(profile_objects(context->profile, &items) + 1, sizeof(*sorter.text_of));
	r = sorter.text_of ? add_waits(&sorter, source) : -ENOMEM;
	objects->texts = sorter.texts.items; /* also if it fails: they are freed with the rest */
	objects->text_count = sorter.texts.count;
	return r < 0 ? r : finish(&sorter);
}

void wait_objects_deinit(struct wait_objects *objects)
{
	for (size_t i = 0; i < objects->text_count; i++)
		free(objects->texts[i]);
	free(objects->texts);
	free(objects->rows);
	free(objects->lengths);
	task_names_deinit(&objects->names);
}
