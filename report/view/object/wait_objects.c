/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/object/wait_objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/view/text/object_text.h"

struct member {
	uint64_t length;
	uint32_t row;
};

struct row_key { /* without padding */
	struct object_key object;
	uint64_t comm;
	const char *container, *id; /* equal texts of a profile are one */
};

struct sorter {
	struct wait_objects *objects;
	const struct view_context *context;
	struct hash_map known_rows;
	ARRAY(struct wait_object_row) rows;
	ARRAY(struct member) members;
};

static void sorter_deinit(struct sorter *sorter)
{
	hash_map_deinit(&sorter->known_rows);
	array_free(&sorter->members);
	array_free(&sorter->rows);
}

/* --- rows --- */

static const struct profile_cgroup *container_of(struct sorter *sorter, uint32_t task)
{
	const struct profile_cgroup *cgroup = sorter->objects->waits.tasks[task].cgroup;

	if (!*profile_container(cgroup))
		return NULL;
	sorter->objects->containers = true;
	return cgroup;
}

static int add_to_row(struct sorter *sorter, uint32_t number, const struct object_key *object)
{
	const struct profile_wait *wait = &sorter->objects->waits.items[number];
	const struct profile_cgroup *cgroup = container_of(sorter, wait->task);
	const struct row_key key = {*object, sorter->objects->names.comm_of[wait->task],
				    cgroup ? cgroup->container : "", cgroup ? cgroup->id : ""};
	uint64_t run_queue = wait->run_queue < wait->weight ? wait->run_queue : wait->weight, *known;
	struct wait_object_row *row;
	int r = hash_map_add(&sorter->known_rows, &key, sizeof(key), sorter->rows.count, &known);

	if (r > 0)
		r = array_push(&sorter->rows, (struct wait_object_row){.object = *object, .comm = (uint32_t)key.comm,
								       .cgroup = cgroup});
	if (r < 0)
		return r;
	row = &sorter->rows.items[*known];
	if (row->count++)
		object_alike_add(&row->alike, &sorter->objects->waits, wait, object);
	else
		object_alike_begin(&row->alike, wait);
	row->blocked = wait_add(row->blocked, wait->weight - run_queue);
	row->run_queue = wait_add(row->run_queue, run_queue);
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
	const uint32_t thing = wait->object;
	struct object_key key;
	int r;

	if (wait->wait_class != WAIT_BLOCKED) {
		leave_out(&sorter->objects->runnable, wait);
		return 0;
	}
	if (!wait_has_object(&sorter->objects->waits, wait)) {
		leave_out(&sorter->objects->unknown, wait);
		return 0;
	}
	if (wanted && (!thing || sorter->objects->waits.objects[thing].kind != wanted))
		return 0;
	r = object_texts_key(&sorter->objects->texts, wait, true, &key);
	return r < 0 ? r : add_to_row(sorter, number, &key);
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

static int compare_objects(const struct wait_objects *objects, const struct object_key *left,
			   const struct object_key *right)
{
	const struct profile_operation *operations = objects->waits.operations;
	const struct object_texts *texts = &objects->texts;
	int order = strcmp(object_text(texts, left->thing), object_text(texts, right->thing));

	if (!order)
		order = strcmp(operations[left->operation].name, operations[right->operation].name);
	if (!order)
		order = strcmp(object_text(texts, left->ready), object_text(texts, right->ready));
	return order ? order : (int)left->timed_out - (int)right->timed_out;
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct wait_objects *objects = context;
	const struct wait_object_row *l = left, *r = right;
	const uint64_t of_l = wait_add(l->blocked, l->run_queue), of_r = wait_add(r->blocked, r->run_queue);
	int order;

	if (of_l != of_r)
		return of_l > of_r ? -1 : 1;
	order = compare_objects(objects, &l->object, &r->object);
	if (!order)
		order = (l->comm > r->comm) - (l->comm < r->comm);
	if (!order)
		order = strcmp(profile_container(l->cgroup), profile_container(r->cgroup));
	return order ? order : strcmp(l->cgroup ? l->cgroup->id : "", r->cgroup ? r->cgroup->id : "");
}

static int finish(struct sorter *sorter)
{
	struct wait_objects *objects = sorter->objects;
	size_t count = sorter->members.count;

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
	int r;

	*objects = (struct wait_objects){0};
	r = waits_init(&objects->waits, context->profile);
	if (!r)
		r = task_names_init(&objects->names, context->profile);
	if (!r)
		r = object_texts_init(&objects->texts, &objects->waits);
	if (!r)
		r = hash_map_init(&sorter.known_rows);
	if (!r)
		r = add_waits(&sorter, source);
	return r < 0 ? r : finish(&sorter);
}

void wait_objects_deinit(struct wait_objects *objects)
{
	object_texts_deinit(&objects->texts);
	free(objects->rows);
	free(objects->lengths);
	task_names_deinit(&objects->names);
}
