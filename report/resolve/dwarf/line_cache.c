/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf/line_cache.h"

#include "common/cleanup.h"
#include "report/resolve/dwarf/line_wire.h"

/* Increment it when the same DWARF yields other answers than before, or when they are packed in another way. */
static const char resolver[] = "lines 4";

/* The files, and where alternate files are searched. False: their answers may not be cached. */
static bool describe(const struct line_job *job, const struct build_id *id, struct name_key *key)
{
	struct stat status;

	name_key_start(key, id, resolver);
	for (size_t i = 0; i < sizeof(job->files) / sizeof(job->files[0]); i++) {
		if (job->files[i] < 0)
			continue;
		if (!job->paths[i] || fstat(job->files[i], &status) < 0)
			return false;
		name_key_add_file(key, job->paths[i], &status);
	}
	for (size_t i = 0; job->local->debug_dirs && job->local->debug_dirs[i]; i++)
		name_key_add_text(key, job->local->debug_dirs[i]);
	if (job->local->symfs)
		name_key_add_text(key, job->local->symfs);
	return true;
}

/* Malformed answers are read, and written, again. */
static int load(struct line_query *query, struct text_pool *texts)
{
	_cleanup_(name_value_deinit) struct name_value value = {0};
	int r = name_cache_get(query->cache, &query->key, &value) ?
		wire_unpack(value.bytes, value.size, texts, &query->known) : 0;

	return r == -ENOMEM ? r : 0;
}

/* Adds missing answers from the cache. Sets *ret_left to the number of addresses left, which are in `rest`. */
static int ask_cache(struct line_query *query, struct line_answers *answers, uint64_t *rest, size_t *ret_left)
{
	const struct line_answers *known = &query->known;
	size_t left = 0, place = 0;
	int r = 0;

	for (size_t i = 0; i < answers->count && !r; i++) {
		if (answers->places[i].count)
			continue;
		while (place < known->count && known->addresses[place] < answers->addresses[i])
			place++;
		if (place < known->count && known->addresses[place] == answers->addresses[i]) {
			r = line_answers_put(answers, i, known->places[place].levels, known->places[place].count);
		} else {
			rest[left] = answers->addresses[i];
			query->numbers[left++] = i;
		}
	}
	*ret_left = left;
	return r;
}

int line_query_start(struct line_query *query, struct name_cache *cache, const struct build_id *id,
		     const struct line_job *job, bool reading, struct text_pool *texts, struct line_answers *answers)
{
	_cleanup_free_ uint64_t *rest = calloc(answers->count + 1, sizeof(*rest));
	size_t count = 0;
	int r;

	*query = (struct line_query){.numbers = calloc(answers->count + 1, sizeof(*query->numbers))};
	r = rest && query->numbers ? 0 : -ENOMEM;
	if (!r && cache && describe(job, id, &query->key)) {
		query->cache = cache;
		r = load(query, texts);
	}
	if (!r)
		r = ask_cache(query, answers, rest, &count);
	if (r < 0 || !count)
		return r;
	if (!reading)
		return -ECANCELED;
	r = line_answers_init(&query->rest, rest, count);
	if (!r)
		r = line_child_start(job, &query->rest, &query->child);
	return r < 0 ? r : 1;
}

/* Both lists in the order of their addresses, of which they share none. Points to their levels. */
static int merge(const struct line_answers *known, const struct line_answers *rest, struct line_answers *ret_all)
{
	const size_t count = known->count + rest->count;
	_cleanup_free_ struct line_place *places = calloc(count + 1, sizeof(*places));
	_cleanup_free_ uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	int r;

	if (!places || !addresses)
		return -ENOMEM;
	for (size_t i = 0, k = 0, n = 0; n < count; n++) {
		const bool old = k == rest->count ||
				 (i < known->count && known->addresses[i] < rest->addresses[k]);

		addresses[n] = old ? known->addresses[i] : rest->addresses[k];
		places[n] = old ? known->places[i++] : rest->places[k++];
	}
	r = line_answers_init(ret_all, addresses, count);
	for (size_t n = 0; n < count && !r; n++)
		line_answers_point(ret_all, n, places[n].levels, places[n].count);
	return r;
}

static int save(struct line_query *query)
{
	_cleanup_(wire_writer_deinit) struct wire_writer writer = {0};
	_cleanup_(line_answers_deinit) struct line_answers all = {0};
	int r = wire_writer_init(&writer, -1);

	if (!r)
		r = merge(&query->known, &query->rest, &all);
	if (!r)
		r = wire_pack(&all, &writer);
	if (!r)
		name_cache_put(query->cache, &query->key, writer.bytes.items, writer.bytes.count);
	return r == -ENOMEM ? r : 0;
}

int line_query_finish(struct line_query *query, struct text_pool *texts, struct line_answers *answers)
{
	const int r = line_child_finish(&query->child, texts, &query->rest);
	int kept = 0;

	for (size_t i = 0; i < query->rest.count && !kept; i++) {
		const struct line_place *place = &query->rest.places[i];

		if (place->count)
			kept = line_answers_put(answers, query->numbers[i], place->levels, place->count);
	}
	if (!kept && !r && query->cache) /* incomplete answers are not stored */
		kept = save(query);
	return kept < 0 ? kept : r == -EPERM ? 0 : r;
}

void line_query_deinit(struct line_query *query)
{
	line_child_end(&query->child);
	line_answers_deinit(&query->known);
	line_answers_deinit(&query->rest);
	free(query->numbers);
	*query = (struct line_query){0};
}
