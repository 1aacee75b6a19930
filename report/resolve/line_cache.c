/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/line_cache.h"

#include "common/cleanup.h"

/* To be raised where the same DWARF gives other answers than before. */
static const char resolver[] = "dwarf 2";

enum { RANK = 1, LEVELS_MAX = 1024 };

/* The files, and where what they share with others is looked for. */
static bool describe(const struct line_job *job, struct name_source *source)
{
	struct stat status;

	name_source_start(source, RANK, resolver);
	for (size_t i = 0; i < sizeof(job->files) / sizeof(job->files[0]); i++) {
		if (job->files[i] < 0)
			continue;
		if (fstat(job->files[i], &status) < 0)
			return false;
		name_source_add_file(source, i ? "debug file" : "binary", &status);
	}
	for (size_t i = 0; job->local->debug_dirs && job->local->debug_dirs[i]; i++)
		name_source_add_text(source, job->local->debug_dirs[i]);
	if (job->local->symfs)
		name_source_add_text(source, job->local->symfs);
	return true;
}

/* --- between the two forms of a level --- */

static int put_levels(struct line_answers *answers, size_t number, const struct name_level *levels, size_t count)
{
	struct line_level converted[LEVELS_MAX];

	if (count > LEVELS_MAX)
		count = LEVELS_MAX;
	for (size_t i = 0; i < count; i++)
		converted[i] = (struct line_level){levels[i].function, levels[i].file, levels[i].line};
	return line_answers_put(answers, number, converted, count);
}

static int keep_levels(struct name_frames *frames, uint64_t address, const struct line_level *levels, size_t count)
{
	struct name_level converted[LEVELS_MAX];

	if (count > LEVELS_MAX)
		return 0;
	for (size_t i = 0; i < count; i++)
		converted[i] = (struct name_level){levels[i].function, levels[i].file, levels[i].line, i + 1 < count};
	return name_frames_add(frames, address, converted, count);
}

/* --- asking --- */

/* Answers what the cache knows, of what is not answered yet; ret_rest: the addresses that are left. */
static int ask_cache(struct line_query *query, struct line_answers *answers, uint64_t *rest, size_t *ret_count)
{
	size_t left = 0;
	int r = 0;

	for (size_t i = 0; i < answers->count && r == 0; i++) {
		const struct name_level *levels;
		size_t count;

		if (answers->places[i].count)
			continue;
		if (name_frames_find(query->frames, answers->addresses[i], &levels, &count)) {
			r = count ? put_levels(answers, i, levels, count) : 0;
		} else {
			rest[left] = answers->addresses[i];
			query->numbers[left++] = i;
		}
	}
	*ret_count = left;
	return r;
}

/* What the child said of the rest; to the cache only if it said all that there is. */
static int take_rest(struct line_query *query, bool complete, struct line_answers *answers)
{
	int r = 0;

	for (size_t i = 0; i < query->rest.count && r == 0; i++) {
		const struct line_place *place = &query->rest.places[i];
		const struct line_level *levels = place->count ? query->rest.levels.items + place->first : NULL;

		if (place->count)
			r = line_answers_put(answers, query->numbers[i], levels, place->count);
		if (r == 0 && complete)
			r = keep_levels(query->frames, query->rest.addresses[i], levels, place->count);
	}
	return r;
}

int line_query_start(struct line_query *query, struct name_cache *cache, const struct line_owner *owner, const struct line_job *job,
		     bool reading, struct line_answers *answers)
{
	_cleanup_free_ uint64_t *rest = calloc(answers->count + 1, sizeof(*rest));
	struct name_source source;
	size_t count = 0;
	int r;

	*query = (struct line_query){.numbers = calloc(answers->count + 1, sizeof(*query->numbers))};
	r = rest && query->numbers ? 0 : -ENOMEM;
	if (r == 0 && cache && describe(job, &source))
		r = name_cache_frames(cache, owner->id, owner->name, &source, &query->frames);
	if (r == 0)
		r = ask_cache(query, answers, rest, &count);
	if (r < 0 || !count)
		return r;
	if (!reading)
		return -ECANCELED;
	r = line_answers_init(&query->rest, rest, count);
	if (r == 0)
		r = line_child_start(job, &query->rest, &query->child);
	return r < 0 ? r : 1;
}

int line_query_finish(struct line_query *query, struct text_pool *texts, struct line_answers *answers)
{
	int r = line_child_finish(&query->child, texts, &query->rest);
	int taken = take_rest(query, r == 0, answers);

	return taken < 0 ? taken : r;
}

void line_query_deinit(struct line_query *query)
{
	line_child_end(&query->child);
	line_answers_deinit(&query->rest);
	free(query->numbers);
	*query = (struct line_query){0};
}
