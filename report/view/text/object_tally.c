/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/object_tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"
#include "common/sorted.h"
#include "report/profile/seam/figures.h"
#include "report/view/look/other_ends.h"
#include "report/view/text/object_text.h"

/* --- waits that are alike --- */

void object_alike_begin(struct object_alike *alike, const struct profile_wait *wait)
{
	*alike = (struct object_alike){.wait = *wait, .least_asked = wait->asked, .most_asked = wait->asked};
}

/* A detail that only some of them have counts as different. Different objects may read the same. */
void object_alike_add(struct object_alike *alike, const struct waits *waits, const struct profile_wait *wait,
		      const struct object_key *key)
{
	struct profile_wait *kept = &alike->wait;
	const unsigned int differs = kept->held ^ wait->held;

	kept->held &= (uint8_t)~differs;
	if (differs & HELD_BY_OWNER || kept->owner != wait->owner)
		kept->held &= HELD_FROM_READING | PROFILE_TIMED_OUT;
	if (kept->ready != wait->ready && key->ready == OBJECT_NO_TEXT)
		kept->ready = 0;
	if (kept->ready_descriptor != wait->ready_descriptor || !kept->ready)
		kept->ready_descriptor = 0;
	alike->other_ends |= other_ends_differ(waits, kept, wait);
	alike->least_asked = wait->asked < alike->least_asked ? wait->asked : alike->least_asked;
	alike->most_asked = wait->asked > alike->most_asked ? wait->asked : alike->most_asked;
}

void object_alike_write(FILE *out, const char *before, const struct waits *waits, const struct object_alike *alike)
{
	struct profile_wait wait = alike->wait;

	wait.asked = alike->least_asked >= alike->most_asked / 2 ? alike->most_asked : 0; /* 0: they differ too much */
	wait_write_alike(out, before, waits, &wait, alike->other_ends);
}

/* --- sums --- */

int object_tally_init(struct object_tally *tally, const struct waits *waits)
{
	int r;

	*tally = (struct object_tally){.waits = waits};
	r = object_texts_init(&tally->texts, waits);
	return r < 0 ? r : hash_map_init(&tally->known);
}

void object_tally_deinit(struct object_tally *tally)
{
	object_texts_deinit(&tally->texts);
	hash_map_deinit(&tally->known);
	array_free(&tally->sums);
}

void object_tally_clear(struct object_tally *tally)
{
	if (tally->sums.count)
		hash_map_clear(&tally->known);
	tally->sums.count = 0;
}

struct line_key { /* without padding */
	uint32_t line;
	struct object_key object;
};

int object_tally_add(struct object_tally *tally, uint32_t line, const struct profile_wait *wait, uint64_t weight)
{
	struct line_key key = {line, {OBJECT_NO_TEXT, 0, OBJECT_NO_TEXT, 0}};
	struct object_sum made = {.line = line};
	uint64_t *known;
	int r = 0;

	if (wait_has_object(tally->waits, wait))
		r = object_texts_key(&tally->texts, wait, false, &key.object);
	if (!r)
		r = hash_map_add(&tally->known, &key, sizeof(key), tally->sums.count, &known);
	if (r < 0)
		return r;
	if (!r) {
		object_alike_add(&tally->sums.items[*known].alike, tally->waits, wait, &key.object);
		tally->sums.items[*known].weight = wait_add(tally->sums.items[*known].weight, weight);
		return 0;
	}
	made.text = key.object.thing;
	made.weight = weight;
	object_alike_begin(&made.alike, wait);
	return array_push(&tally->sums, made);
}

bool object_sum_says(const struct object_tally *tally, const struct object_sum *sum)
{
	return wait_has_object(tally->waits, &sum->alike.wait);
}

static int timed_out(const struct object_sum *sum)
{
	return (sum->alike.wait.held & PROFILE_TIMED_OUT) != 0;
}

static int compare_sums(const void *left, const void *right, void *context)
{
	const struct object_tally *tally = context;
	const struct object_sum *l = left, *r = right;
	const bool l_says = object_sum_says(tally, l), r_says = object_sum_says(tally, r);
	int order;

	if (l->line != r->line)
		return l->line < r->line ? -1 : 1;
	if (l_says != r_says)
		return l_says ? -1 : 1;
	if (l->weight != r->weight)
		return l->weight > r->weight ? -1 : 1;
	if (!l_says)
		return 0;
	order = strcmp(object_text(&tally->texts, l->text), object_text(&tally->texts, r->text));
	if (!order)
		order = strcmp(tally->waits->operations[l->alike.wait.operation].name,
			       tally->waits->operations[r->alike.wait.operation].name);
	return order ? order : timed_out(l) - timed_out(r);
}

void object_tally_finish(struct object_tally *tally)
{
	if (tally->sums.count)
		qsort_r(tally->sums.items, tally->sums.count, sizeof(*tally->sums.items), compare_sums, tally);
}

size_t object_tally_find(const struct object_tally *tally, uint32_t line, const struct object_sum **ret_first)
{
	const struct object_sum *sums = tally->sums.items;
	const size_t first = SORTED_FIRST(i, tally->sums.count, sums[i].line >= line);
	const size_t end = SORTED_FIRST(i, tally->sums.count, sums[i].line > line);

	*ret_first = sums ? sums + first : NULL;
	return end - first;
}

/* --- text --- */

void object_tally_write(const struct object_tally *tally, uint32_t line, FILE *out)
{
	const struct object_sum *sums;
	const size_t count = object_tally_find(tally, line, &sums);
	uint64_t weight = 0;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		weight = wait_add(weight, sums[i].weight);
		known += object_sum_says(tally, &sums[i]);
	}
	if (!known)
		return;
	if (count > 1)
		(void)fprintf(out, ", %s%% of it", figure_percent(sums->weight, weight).text);
	object_alike_write(out, count > 1 ? " " : ", ", tally->waits, &sums->alike);
	if (known > 1)
		(void)fprintf(out, ", and %zu other%s", known - 1, plural(known - 1));
}
