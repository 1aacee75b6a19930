/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/pprof/pprof_rows.h"

#include "common/cleanup.h"
#include "report/view/look/waits.h"

struct lookup {
	const struct pprof_rows *rows;
	const struct pprof_row *wanted;
};

static bool is_same(const void *context, uint32_t number)
{
	const struct lookup *lookup = context;
	const struct pprof_row *row = &lookup->rows->rows.items[number], *wanted = lookup->wanted;

	return row->source == wanted->source && row->node == wanted->node && row->task == wanted->task &&
	       row->wait_class == wanted->wait_class && row->state == wanted->state &&
	       row->object == wanted->object && row->object_kind == wanted->object_kind;
}

static int add(struct pprof_rows *rows, struct pprof_row row)
{
	const struct lookup lookup = {rows, &row};
	const uint32_t words[] = {row.source, row.node, row.task, row.wait_class, (uint32_t)row.state, row.object,
				  row.object_kind};
	uint32_t hash = index_table_hash_words(&rows->known, words, sizeof(words) / sizeof(words[0])), number;
	int r = index_table_add(&rows->known, hash, is_same, &lookup, (uint32_t)rows->rows.count, &number);

	if (r > 0)
		return array_push(&rows->rows, row);
	if (r < 0)
		return r;
	rows->rows.items[number].samples += row.samples;
	rows->rows.items[number].weight += row.weight;
	return 0;
}

static int add_wait(struct pprof_rows *rows, const struct profile_wait *wait, bool few_objects)
{
	struct pprof_row row = {.source = wait->source, .node = wait->node, .task = wait->task,
				.wait_class = wait->wait_class, .object = OBJECT_NO_TEXT, .samples = 1,
				.weight = wait->weight};
	const uint32_t thing = wait->object;
	int r = few_objects ? object_texts_find(&rows->texts, thing, &row.object) : 0;

	if (thing)
		row.object_kind = rows->waits.objects[thing].kind;
	return r < 0 ? r : add(rows, row);
}

/* Waits are added one by one: the sums of the profile have neither their classes nor what they were for. */
static int add_waits(struct pprof_rows *rows, uint32_t source)
{
	const bool few_objects = object_texts_are_few(&rows->texts);
	int r = 0;

	for (size_t i = 0; i < rows->waits.count && !r; i++) {
		const struct profile_wait *wait = &rows->waits.items[i];

		if (wait->source == source && wait_is_shown(wait))
			r = add_wait(rows, wait, few_objects);
	}
	return r;
}

static int add_walked(struct pprof_rows *rows, struct profile *profile, uint32_t source)
{
	const struct profile_walk_task *walked;
	const bool few_objects = object_texts_are_few(&rows->texts);
	size_t count = profile_walk_tasks(profile, &walked);
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		struct pprof_row row = {.source = source, .node = walked[i].node, .task = walked[i].task,
					.wait_class = PPROF_NO_CLASS, .state = walked[i].state[0],
					.object = OBJECT_NO_TEXT, .samples = 1, .weight = 1};

		if (few_objects)
			r = object_texts_find(&rows->texts, walked[i].object, &row.object);
		if (walked[i].object)
			row.object_kind = rows->waits.objects[walked[i].object].kind;
		if (!r)
			r = add(rows, row);
	}
	return r;
}

static int add_sums(struct pprof_rows *rows, struct profile *profile, uint32_t source)
{
	_cleanup_(rows_deinit) struct rows sums;
	int r = rows_init(&sums, profile, source, NULL);

	for (size_t i = 0; i < sums.count && !r; i++) {
		const struct row *sum = &sums.items[i];

		r = add(rows, (struct pprof_row){.source = source, .node = sum->node, .task = sum->task,
						 .wait_class = PPROF_NO_CLASS, .state = sum->state,
						 .object = OBJECT_NO_TEXT,
						 .samples = sum->samples, .weight = sum->weight});
	}
	return r;
}

int pprof_rows_init(struct pprof_rows *rows, struct profile *profile)
{
	const struct profile_source *sources;
	size_t count = profile_sources(profile, &sources);
	int r;

	*rows = (struct pprof_rows){0};
	r = waits_init(&rows->waits, profile);
	if (!r)
		r = object_texts_init(&rows->texts, &rows->waits);
	if (!r)
		r = index_table_init(&rows->known);
	for (uint32_t i = 0; i < count && !r; i++) {
		if (sources[i].left_out)
			continue;
		if (sources[i].kind == PROFILE_OFFCPU)
			r = add_waits(rows, i);
		else
			r = sources[i].kind == PROFILE_TASKS ? add_walked(rows, profile, i) :
							       add_sums(rows, profile, i);
	}
	return r;
}

void pprof_rows_deinit(struct pprof_rows *rows)
{
	object_texts_deinit(&rows->texts);
	array_free(&rows->rows);
	index_table_deinit(&rows->known);
}
