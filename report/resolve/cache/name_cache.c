/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_cache.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/resolve/cache/name_cache_internal.h"

static void cleanup_cache(struct name_cache **cache)
{
	name_cache_destroy(*cache);
}

static int open_desk(struct name_cache *cache)
{
	int r = name_desk_create(&cache->settings, &cache->own);

	if (!r)
		cache->desk = name_desk_of(cache->own);
	return r;
}

int name_cache_create(const struct name_cache_settings *settings, struct name_cache **ret_cache)
{
	_cleanup_(cleanup_cache) struct name_cache *cache = calloc(1, sizeof(*cache));
	int r;

	if (!cache)
		return -ENOMEM;
	cache->settings = *settings;
	cache->desk = settings->desk;
	r = settings->desk.serve ? 0 : open_desk(cache);
	if (!r)
		r = hash_map_init(&cache->frame_keys);
	if (!r)
		r = hash_map_init(&cache->answer_keys);
	if (!r)
		*ret_cache = steal_ptr(cache);
	return r;
}

static void answer_deinit(struct known_answer *answer)
{
	free(answer->what);
	free(answer->servers);
	free(answer->path);
}

void name_cache_destroy(struct name_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->frames.count; i++)
		name_frames_destroy(cache->frames.items[i]);
	for (size_t i = 0; i < cache->symbols.count; i++) {
		free(cache->symbols.items[i].name);
		name_blob_deinit(&cache->symbols.items[i].blob);
	}
	for (size_t i = 0; i < cache->answers.count; i++)
		answer_deinit(&cache->answers.items[i]);
	array_free(&cache->frames);
	array_free(&cache->symbols);
	array_free(&cache->answers);
	array_free(&cache->asked);
	hash_map_deinit(&cache->frame_keys);
	hash_map_deinit(&cache->answer_keys);
	name_desk_destroy(cache->own);
	free(cache);
}

uint64_t name_cache_now(const struct name_cache *cache)
{
	return cache->settings.now ? cache->settings.now : (uint64_t)time(NULL);
}

/* --- the file, and its errors --- */

static const char *reason(int r)
{
	switch (r) {
	case -EBADMSG:
	case -EINVAL:
	case -E2BIG:
		return "it is damaged";
	case -ETIME:
		return "it is damaged or takes too long to read";
	case -EBUSY:
		return "another process keeps it locked";
	case -EMEDIUMTYPE:
		return "it is not a cache of rwalker-report";
	default:
		return strerror(-r);
	}
}

/* Has an effect once; from then on the cache is empty. */
void name_cache_give_up(struct name_cache *cache, int r, const char *why)
{
	if (cache->unusable)
		return;
	cache->unusable = true;
	if (cache->is_open)
		name_shelf_close(&cache->desk);
	cache->is_open = false;
	log_warning("cannot use the cache '%s': %s; --no-cache does without it", cache->settings.path,
		    why ? why : reason(r));
}

static void say_state(const struct name_cache *cache, enum name_store_state state)
{
	if (state == NAME_STORE_WAS_DAMAGED)
		log_warning("the cache '%s' was damaged: it is created again", cache->settings.path);
	if (state == NAME_STORE_WAS_OTHER_VERSION)
		log_info("the cache '%s' was of another version: it is created again", cache->settings.path);
}

/* 1: open; 0: there is no file, or it cannot be used (which was reported). */
int name_cache_open(struct name_cache *cache, bool make)
{
	enum name_store_state state;
	char why[NAME_WHY_MAX];
	int r;

	if (cache->unusable || cache->is_open)
		return cache->is_open;
	r = name_shelf_open(&cache->desk, make, &state, why);
	if (r == -ENOENT && !make)
		return 0;
	cache->is_open = !r;
	if (r < 0)
		name_cache_give_up(cache, r, *why ? why : NULL);
	else
		say_state(cache, state);
	return !r;
}

/* Handles a failed query. Repairs damage, so that the cache works again for the next report. 0, or -ENOMEM. */
static int take_fault(struct name_cache *cache, int r)
{
	if (r == -ENOMEM)
		return r;
	if (r == -EBADMSG && !name_shelf_reset(&cache->desk))
		name_cache_give_up(cache, r, "it was damaged, and is created again");
	else
		name_cache_give_up(cache, r, NULL);
	return 0;
}

/* --- keys --- */

uint64_t name_content_seed(const struct build_id *id, enum name_content kind,
			   const struct name_source *source)
{
	uint64_t sum = name_checksum((uint64_t)kind, id->bytes, id->length);

	sum = name_checksum(sum, &source->rank, sizeof(source->rank));
	return name_checksum(sum, source->text, source->used);
}

uint64_t name_answer_checksum(const struct known_answer *answer, uint64_t tried)
{
	uint64_t sum = name_checksum(0, answer->id.bytes, answer->id.length);

	sum = name_checksum(sum, answer->what, strlen(answer->what));
	sum = name_checksum(sum, answer->servers, strlen(answer->servers));
	sum = name_checksum(sum, &tried, sizeof(tried));
	return name_checksum(sum, answer->path, answer->path ? strlen(answer->path) : 0);
}

/* The key is the build-id, then two NUL-terminated texts. Finds it, or adds it as `number`. As hash_map_add(). */
static int add_key(struct hash_map *map, const struct build_id *id, const char *first,
		   const char *second, size_t number, size_t *ret_number)
{
	const size_t first_size = strlen(first) + 1, second_size = strlen(second) + 1;
	_cleanup_free_ char *key = malloc(sizeof(*id) + first_size + second_size);
	uint64_t *value;
	int r;

	if (!key)
		return -ENOMEM;
	memset(key, 0, sizeof(*id));
	memcpy(key, id->bytes, id->length);
	memcpy(key + sizeof(id->bytes), &id->length, 1);
	memcpy(key + sizeof(*id), first, first_size);
	memcpy(key + sizeof(*id) + first_size, second, second_size);
	r = hash_map_add(map, key, sizeof(*id) + first_size + second_size, number, &value);
	if (r >= 0)
		*ret_number = (size_t)*value;
	return r;
}

/* --- frames --- */

/* 1: the file has undamaged frames for this key. */
static int load_frames(struct name_cache *cache, struct name_frames *frames)
{
	_cleanup_(name_piece_release) struct name_piece row = {0};
	int r = name_shelf_find(&cache->desk, &frames->id, NAME_CONTENT_FRAMES, &frames->source, &row);

	if (r <= 0)
		return r;
	r = name_blob_to_frames(row.bytes, row.size,
				name_content_seed(&frames->id, NAME_CONTENT_FRAMES, &frames->source), frames);
	if (r == -EBADMSG) {
		name_frames_clear(frames);
		return 0; /* they are resolved and written again */
	}
	return r < 0 ? r : 1;
}

static int fill_frames(struct name_cache *cache, struct name_frames *frames)
{
	int r = name_cache_open(cache, false);

	if (r <= 0)
		return r;
	r = load_frames(cache, frames);
	if (r < 0)
		return take_fault(cache, r);
	frames->loaded = frames->items.count;
	return r ? array_push(&cache->asked, frames->id) : 0;
}

static int create_frames(struct name_cache *cache, const struct build_id *id, const char *name,
			 const struct name_source *source)
{
	struct name_frames *frames;
	int r = name_frames_create(id, name, source, &frames);

	if (r < 0)
		return r;
	r = array_push(&cache->frames, frames);
	if (r < 0) {
		name_frames_destroy(frames);
		return r;
	}
	return fill_frames(cache, frames);
}

static bool may_cache(const struct name_cache *cache, const struct build_id *id,
		      const struct name_source *source)
{
	return cache && !cache->unusable && id->length && !source->full;
}

int name_cache_frames(struct name_cache *cache, const struct build_id *id, const char *name,
		      const struct name_source *source, struct name_frames **ret_frames)
{
	char rank[16];
	size_t number;
	int r;

	*ret_frames = NULL;
	if (!may_cache(cache, id, source))
		return 0;
	(void)snprintf(rank, sizeof(rank), "%u", source->rank);
	r = add_key(&cache->frame_keys, id, rank, source->text, cache->frames.count, &number);
	if (r > 0)
		r = create_frames(cache, id, name, source);
	if (!r && number < cache->frames.count)
		*ret_frames = cache->frames.items[number];
	return r;
}

/* --- symbols --- */

int name_cache_find_symbols(struct name_cache *cache, const struct build_id *id,
			    const struct name_source *source, struct symbol_list *list)
{
	_cleanup_(name_piece_release) struct name_piece row = {0};
	int r;

	if (!may_cache(cache, id, source) || name_cache_open(cache, false) <= 0)
		return 0;
	r = name_shelf_find(&cache->desk, id, NAME_CONTENT_SYMBOLS, source, &row);
	if (r < 0)
		return take_fault(cache, r);
	if (!r)
		return 0;
	r = name_blob_to_symbols(row.bytes, row.size,
				 name_content_seed(id, NAME_CONTENT_SYMBOLS, source), list);
	if (r == -EBADMSG)
		return 0;
	return r < 0 || array_push(&cache->asked, *id) < 0 ? -ENOMEM : 1;
}

int name_cache_put_symbols(struct name_cache *cache, const struct build_id *id, const char *name,
			   const struct name_source *source, const struct symbol_list *list)
{
	struct new_symbols symbols = {.source = *source, .id = *id};
	int r;

	if (!may_cache(cache, id, source))
		return 0;
	r = name_blob_from_symbols(list, name_content_seed(id, NAME_CONTENT_SYMBOLS, source), &symbols.blob);
	if (r < 0)
		return r == -E2BIG ? 0 : r;
	symbols.name = strdup(name);
	if (symbols.name && !array_push(&cache->symbols, symbols))
		return 0;
	free(symbols.name);
	name_blob_deinit(&symbols.blob);
	return -ENOMEM;
}

/* --- answers of debuginfod --- */

/* The answer in the file, if it is still valid. */
static int load_answer(struct name_cache *cache, struct known_answer *answer)
{
	struct name_answer_row row = {0};
	uint64_t age;
	int r = name_cache_open(cache, false);

	if (r <= 0)
		return r;
	r = name_shelf_find_answer(&cache->desk, &answer->id, answer->what, answer->servers, &row);
	if (r <= 0)
		return r < 0 ? take_fault(cache, r) : 0;
	answer->path = row.path;
	age = name_cache_now(cache) - row.tried; /* a time in the future wraps around: very old */
	if (age <= (row.path ? NAME_FOUND_HOLDS : NAME_NONE_HOLDS) &&
	    row.checksum == name_answer_checksum(answer, row.tried))
		answer->answer = row.path ? NAME_ANSWER_FOUND : NAME_ANSWER_NONE;
	return 0;
}

/* The answer in memory, initialized from the file. */
static int get_answer(struct name_cache *cache, const struct build_id *id, const char *what,
		      const char *servers, struct known_answer **ret_answer)
{
	struct known_answer answer = {.id = *id, .answer = NAME_ANSWER_UNKNOWN};
	size_t number;
	int r = add_key(&cache->answer_keys, id, what, servers, cache->answers.count, &number);

	if (r > 0) {
		answer.what = strdup(what);
		answer.servers = strdup(servers);
		r = answer.what && answer.servers ? load_answer(cache, &answer) : -ENOMEM;
		if (!r)
			r = array_push(&cache->answers, answer);
		if (r < 0)
			answer_deinit(&answer);
	}
	if (r < 0 || number >= cache->answers.count)
		return -ENOMEM;
	*ret_answer = &cache->answers.items[number];
	return 0;
}

enum name_answer name_cache_answer(struct name_cache *cache, const struct build_id *id, const char *what,
				   const char *servers, const char **ret_path)
{
	struct known_answer *answer;

	*ret_path = NULL;
	if (!cache || cache->unusable || !id->length || get_answer(cache, id, what, servers, &answer) < 0)
		return NAME_ANSWER_UNKNOWN;
	*ret_path = answer->answer == NAME_ANSWER_FOUND ? answer->path : NULL;
	return answer->answer;
}

int name_cache_put_answer(struct name_cache *cache, const struct build_id *id, const char *what,
			  const char *servers, const char *path)
{
	struct known_answer *answer;
	char *copy = NULL;
	int r;

	if (!cache || cache->unusable || !id->length)
		return 0;
	r = get_answer(cache, id, what, servers, &answer);
	if (!r && path && !(copy = strdup(path)))
		r = -ENOMEM;
	if (r < 0)
		return r;
	free(answer->path);
	answer->path = copy;
	answer->answer = path ? NAME_ANSWER_FOUND : NAME_ANSWER_NONE;
	answer->fresh = true;
	return 0;
}
