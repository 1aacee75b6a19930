/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/tree/tree_objects.h"

#include <errno.h>
#include <stdlib.h>

#include "common/plural.h"
#include "common/sorted.h"
#include "report/profile/seam/figures.h"

enum { SHOWN = 3 };

static int compare_keys(const struct profile_wait *wait, uint32_t node, uint32_t task)
{
	if (wait->node != node)
		return wait->node < node ? -1 : 1;
	return (wait->task > task) - (wait->task < task);
}

static int compare_waits(const void *left, const void *right, void *context)
{
	const struct tree_objects *objects = context;
	const uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct profile_wait *waits = objects->items;
	const int order = compare_keys(&waits[l], waits[r].node, waits[r].task);

	return order ? order : (l > r) - (l < r);
}

static int take_waits(struct tree_objects *objects, const struct view_context *context, uint32_t source)
{
	objects->items = objects->waits.items;
	objects->order = calloc(objects->waits.count + 1, sizeof(*objects->order));
	if (!objects->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < objects->waits.count; i++) {
		const struct profile_wait *wait = &objects->items[i];

		if (wait->source == source && wait_is_shown(wait) &&
		    group_choice_has(context->only, wait->task, wait->in_cpu))
			objects->order[objects->count++] = i;
	}
	return 0;
}

static int take_walked(struct tree_objects *objects, const struct view_context *context)
{
	const struct profile_walk_task *rows;
	size_t count = profile_walk_tasks(context->profile, &rows);

	objects->order = calloc(count + 1, sizeof(*objects->order));
	objects->walked = calloc(count + 1, sizeof(*objects->walked));
	if (!objects->order || !objects->walked)
		return -ENOMEM;
	objects->items = objects->walked;
	for (uint32_t i = 0; i < count; i++) {
		const uint16_t cpu = rows[i].cpu < PROFILE_NO_CPU ? (uint16_t)rows[i].cpu : PROFILE_NO_CPU;

		objects->walked[i] = profile_walk_wait(&rows[i]);
		if (group_choice_has(context->only, rows[i].task, cpu))
			objects->order[objects->count++] = i;
	}
	return 0;
}

int tree_objects_init(struct tree_objects *objects, const struct view_context *context, uint32_t source)
{
	const struct profile_source *sources;
	int r;

	*objects = (struct tree_objects){0};
	(void)profile_sources(context->profile, &sources);
	objects->total = sources[source].weight;
	r = waits_init(&objects->waits, context->profile);
	if (!r)
		r = object_tally_init(&objects->tally, &objects->waits);
	if (!r && sources[source].kind == PROFILE_TASKS)
		r = take_walked(objects, context);
	else if (!r)
		r = take_waits(objects, context, source);
	if (r < 0)
		return r;
	qsort_r(objects->order, objects->count, sizeof(*objects->order), compare_waits, objects);
	return 0;
}

void tree_objects_deinit(struct tree_objects *objects)
{
	object_tally_deinit(&objects->tally);
	free(objects->order);
	free(objects->walked);
	*objects = (struct tree_objects){0};
}

static int add_row(struct tree_objects *objects, uint32_t line, const struct row *row)
{
	const struct profile_wait *waits = objects->items;
	const uint32_t *order = objects->order;
	size_t i = SORTED_FIRST(at, objects->count, compare_keys(&waits[order[at]], row->node, row->task) >= 0);
	int r = 0;

	for (; i < objects->count && !r && !compare_keys(&waits[order[i]], row->node, row->task); i++)
		r = object_tally_add(&objects->tally, line, &waits[order[i]], waits[order[i]].weight);
	return r;
}

/* Rows that differ only in flags or CPU have the same waits. */
int tree_objects_gather(struct tree_objects *objects, const struct call_tree_builder *builder, const struct row *rows,
			size_t count)
{
	int r = 0;

	object_tally_clear(&objects->tally);
	for (size_t i = 0; i < count && !r; i++)
		if (!i || rows[i].node != rows[i - 1].node || rows[i].task != rows[i - 1].task)
			r = add_row(objects, call_tree_end(builder, rows[i].node), &rows[i]);
	object_tally_finish(&objects->tally);
	return r;
}

static size_t known_sums(const struct tree_objects *objects, uint32_t node, const struct object_sum **ret_sums)
{
	size_t count = object_tally_find(&objects->tally, node, ret_sums);

	return count && !object_sum_says(&objects->tally, &(*ret_sums)[count - 1]) ? count - 1 : count;
}

void tree_objects_write(const struct tree_objects *objects, uint32_t node, const char *before, FILE *out)
{
	const struct object_sum *sums;
	const size_t count = known_sums(objects, node, &sums), shown = count > SHOWN + 1 ? SHOWN : count;
	uint64_t weight = 0;

	for (size_t i = 0; i < shown; i++) {
		(void)fputs(before, out);
		object_alike_write(out, "[", &objects->waits, &sums[i].alike);
		(void)fprintf(out, "  %s%%]\n", figure_percent(sums[i].weight, objects->total).text);
	}
	for (size_t i = shown; i < count; i++)
		weight = wait_add(weight, sums[i].weight);
	if (shown < count)
		(void)fprintf(out, "%s[%zu other%s  %s%%]\n", before, count - shown, plural(count - shown),
			      figure_percent(weight, objects->total).text);
}
