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

struct rest { /* what the cache does not know */
	struct line_answers answers;
	uint64_t *addresses;
	size_t *numbers; /* in all answers */
	size_t count;
};

static void rest_deinit(struct rest *rest)
{
	line_answers_deinit(&rest->answers);
	free(rest->addresses);
	free(rest->numbers);
}

/* Answers what the cache knows, of what is not answered yet. */
static int ask_cache(const struct name_frames *frames, struct line_answers *answers, struct rest *rest)
{
	int r = 0;

	rest->addresses = calloc(answers->count + 1, sizeof(*rest->addresses));
	rest->numbers = calloc(answers->count + 1, sizeof(*rest->numbers));
	if (!rest->addresses || !rest->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < answers->count && r == 0; i++) {
		const struct name_level *levels;
		size_t count;

		if (answers->places[i].count)
			continue;
		if (name_frames_find(frames, answers->addresses[i], &levels, &count)) {
			r = count ? put_levels(answers, i, levels, count) : 0;
		} else {
			rest->addresses[rest->count] = answers->addresses[i];
			rest->numbers[rest->count++] = i;
		}
	}
	return r;
}

/* What the child said of the rest; to the cache only if it said all that there is. */
static int take_rest(const struct rest *rest, bool complete, struct name_frames *frames, struct line_answers *answers)
{
	int r = 0;

	for (size_t i = 0; i < rest->count && r == 0; i++) {
		const struct line_place *place = &rest->answers.places[i];
		const struct line_level *levels = place->count ? rest->answers.levels.items + place->first : NULL;

		if (place->count)
			r = line_answers_put(answers, rest->numbers[i], levels, place->count);
		if (r == 0 && complete)
			r = keep_levels(frames, rest->addresses[i], levels, place->count);
	}
	return r;
}

int line_cache_resolve(struct name_cache *cache, const struct line_owner *owner, const struct line_job *job,
		       struct text_pool *texts, struct line_answers *answers)
{
	_cleanup_(rest_deinit) struct rest rest = {0};
	struct name_frames *frames = NULL;
	struct name_source source;
	int r = 0, taken;

	if (cache && describe(job, &source))
		r = name_cache_frames(cache, owner->id, owner->name, &source, &frames);
	if (r == 0)
		r = ask_cache(frames, answers, &rest);
	if (r < 0 || !rest.count)
		return r;
	r = line_answers_init(&rest.answers, rest.addresses, rest.count);
	if (r < 0)
		return r;
	r = line_child_resolve(job, texts, &rest.answers);
	taken = take_rest(&rest, r == 0, frames, answers);
	return taken < 0 ? taken : r;
}
