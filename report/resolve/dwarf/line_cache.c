/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf/line_cache.h"

#include "common/cleanup.h"
#include "report/resolve/cache/name_frames.h"

/* Increment it when the same DWARF yields other answers than before. */
static const char resolver[] = "dwarf 2";

enum { RANK = 1 };

/* Adds the files, and where alternate files are searched. False: their answers may not be cached. */
static bool describe(const struct line_job *job, struct name_source *source)
{
	struct stat status;

	name_source_start(source, RANK, resolver);
	for (size_t i = 0; i < sizeof(job->files) / sizeof(job->files[0]); i++) {
		if (job->files[i] < 0)
			continue;
		if (!job->paths[i] || fstat(job->files[i], &status) < 0)
			return false;
		name_source_add_file(source, job->paths[i], &status);
	}
	for (size_t i = 0; job->local->debug_dirs && job->local->debug_dirs[i]; i++)
		name_source_add_text(source, job->local->debug_dirs[i]);
	if (job->local->symfs)
		name_source_add_text(source, job->local->symfs);
	return true;
}

/* --- queries --- */

/* Adds missing answers from the cache. Returns the number of addresses left, and the addresses in `rest`. */
static size_t ask_cache(struct line_query *query, struct line_answers *answers, uint64_t *rest)
{
	size_t left = 0, place = 0;

	for (size_t i = 0; i < answers->count; i++) {
		const struct line_level *levels;
		size_t count;

		if (answers->places[i].count)
			continue;
		if (name_frames_find_next(query->frames, &place, answers->addresses[i], &levels, &count)) {
			line_answers_point(answers, i, levels, count);
		} else {
			rest[left] = answers->addresses[i];
			query->numbers[left++] = i;
		}
	}
	return left;
}

/* Adds the child's answers for the rest. Stores them in the cache only if they are complete. */
static int take_rest(struct line_query *query, bool complete, struct line_answers *answers)
{
	int r = 0;

	for (size_t i = 0; i < query->rest.count && !r; i++) {
		const struct line_place *place = &query->rest.places[i];

		if (place->count)
			r = line_answers_put(answers, query->numbers[i], place->levels, place->count);
		if (!r && complete)
			r = name_frames_add(query->frames, query->rest.addresses[i], place->levels,
					    place->count);
	}
	return r;
}

int line_query_start(struct line_query *query, struct name_cache *cache,
		     const struct line_owner *owner, const struct line_job *job, bool reading,
		     struct line_answers *answers)
{
	_cleanup_free_ uint64_t *rest = calloc(answers->count + 1, sizeof(*rest));
	struct name_source source;
	size_t count = 0;
	int r;

	*query = (struct line_query){.numbers = calloc(answers->count + 1, sizeof(*query->numbers))};
	r = rest && query->numbers ? 0 : -ENOMEM;
	if (!r && cache && describe(job, &source))
		r = name_cache_frames(cache, owner->id, owner->name, &source, &query->frames);
	if (!r)
		count = ask_cache(query, answers, rest);
	if (r < 0 || !count)
		return r;
	if (!reading)
		return -ECANCELED;
	r = line_answers_init(&query->rest, rest, count);
	if (!r)
		r = line_child_start(job, &query->rest, &query->child);
	return r < 0 ? r : 1;
}

int line_query_finish(struct line_query *query, struct text_pool *texts, struct line_answers *answers)
{
	int r = line_child_finish(&query->child, texts, &query->rest);
	int taken = take_rest(query, !r, answers);

	return taken < 0 ? taken : r == -EPERM ? 0 : r;
}

void line_query_deinit(struct line_query *query)
{
	line_child_end(&query->child);
	line_answers_deinit(&query->rest);
	free(query->numbers);
	*query = (struct line_query){0};
}
