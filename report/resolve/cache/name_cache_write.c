/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "common/log.h"
#include "common/plural.h"
#include "report/resolve/cache/name_cache_internal.h"

enum { TOUCH_AFTER = 3600 }; /* seconds until a use is recorded again, so that most reports need not write */

/* --- saving --- */

static bool is_new(const struct name_frames *frames)
{
	return frames->items.count > frames->loaded;
}

static bool anything_new(const struct name_cache *cache)
{
	if (cache->symbols.count)
		return true;
	for (size_t i = 0; i < cache->frames.count; i++)
		if (is_new(cache->frames.items[i]))
			return true;
	for (size_t i = 0; i < cache->answers.count; i++)
		if (cache->answers.items[i].fresh)
			return true;
	return false;
}

static int put(struct name_cache *cache, const struct build_id *id, const char *name, enum name_content kind,
	       const struct name_source *source, const struct name_blob *blob)
{
	return name_shelf_put(&cache->desk, id, name, kind, source, blob->bytes, blob->size);
}

/* Keeps the frames that another report has written in the meantime. */
static int merge_frames(struct name_cache *cache, struct name_frames *frames, uint64_t seed)
{
	struct name_piece row = {0};
	int r = name_shelf_find(&cache->desk, &frames->id, NAME_CONTENT_FRAMES, &frames->source, &row);

	if (r > 0)
		r = name_blob_to_frames(row.bytes, row.size, seed, frames);
	name_piece_release(&row);
	return r == -EBADMSG ? 0 : r;
}

static int write_frames(struct name_cache *cache, struct name_frames *frames)
{
	const uint64_t seed = name_content_seed(&frames->id, NAME_CONTENT_FRAMES, &frames->source);
	struct name_blob blob = {0};
	int r = merge_frames(cache, frames, seed);

	if (!r)
		r = name_blob_from_frames(frames, seed, &blob);
	if (r == -E2BIG)
		return 0;
	if (!r)
		r = put(cache, &frames->id, frames->name, NAME_CONTENT_FRAMES, &frames->source, &blob);
	name_blob_deinit(&blob);
	return r;
}

static int write_answers(struct name_cache *cache)
{
	const uint64_t now = name_cache_now(cache);
	int r = 0;

	for (size_t i = 0; i < cache->answers.count && !r; i++) {
		const struct known_answer *answer = &cache->answers.items[i];
		struct name_answer_row row = {.tried = now, .path = answer->path};

		if (!answer->fresh)
			continue;
		row.checksum = name_answer_checksum(answer, now);
		r = name_shelf_put_answer(&cache->desk, &answer->id, answer->what, answer->servers, &row);
	}
	if (r < 0)
		return r;
	return name_shelf_forget_answers(&cache->desk, now - NAME_NONE_HOLDS, now - NAME_FOUND_HOLDS);
}

/* Marks the modules that were used. Comes first, so that they are not removed to make room for new ones. */
static int touch_asked(struct name_cache *cache, uint64_t slack)
{
	int r = 0;

	for (size_t i = 0; i < cache->asked.count && !r; i++)
		r = name_shelf_touch(&cache->desk, &cache->asked.items[i], slack);
	return r;
}

/* *ret_left counts modules for which there was no room. */
static int write_content(struct name_cache *cache, size_t *ret_left)
{
	int r = touch_asked(cache, 0);

	for (size_t i = 0; i < cache->frames.count && r >= 0; i++)
		if (is_new(cache->frames.items[i])) {
			r = write_frames(cache, cache->frames.items[i]);
			*ret_left += !r;
		}
	for (size_t i = 0; i < cache->symbols.count && r >= 0; i++) {
		const struct new_symbols *symbols = &cache->symbols.items[i];

		r = put(cache, &symbols->id, symbols->name, NAME_CONTENT_SYMBOLS, &symbols->source,
			&symbols->blob);
		*ret_left += !r;
	}
	return r < 0 ? r : write_answers(cache);
}

static int write_all(struct name_cache *cache, bool content, size_t *ret_left)
{
	int r = name_shelf_begin(&cache->desk);

	if (r < 0)
		return r;
	r = content ? write_content(cache, ret_left) : touch_asked(cache, TOUCH_AFTER);
	if (!r)
		r = name_shelf_commit(&cache->desk);
	if (r < 0)
		name_shelf_undo(&cache->desk);
	return r;
}

void name_cache_save(struct name_cache *cache)
{
	bool content = cache && anything_new(cache);
	size_t left = 0;
	int r;

	if (!cache || (!content && !cache->asked.count) || name_cache_open(cache, content) <= 0)
		return;
	r = write_all(cache, content, &left);
	if (r == -EBADMSG && !name_shelf_reset(&cache->desk))
		name_cache_give_up(cache, r, "it was damaged, and is created again");
	else if (r < 0)
		name_cache_give_up(cache, r, NULL);
	else if (left)
		log_info("the cache '%s' is full: it does not keep the results for %zu module%s",
			 cache->settings.path, left, plural(left));
}

/* --- showing and clearing --- */

static int fail(const struct name_cache *cache, const char *what, int r, const char *why)
{
	return log_error(-r, "cannot %s the cache '%s': %s", what, cache->settings.path, why ? why : strerror(-r));
}

const char *name_cache_path(const struct name_cache *cache)
{
	return cache->settings.path;
}

int name_cache_contents(struct name_cache *cache, struct name_cache_contents *ret_contents)
{
	const uint64_t limit = cache->settings.limit;
	struct name_cache_contents contents = {.limit = limit ? limit : NAME_CACHE_LIMIT};
	int r;

	if (name_cache_open(cache, false) <= 0) {
		*ret_contents = contents;
		return cache->unusable ? -EIO : 0;
	}
	contents.exists = true;
	r = name_shelf_contents(&cache->desk, &contents);
	if (r < 0) {
		name_cache_contents_deinit(&contents);
		return fail(cache, "read", r, NULL);
	}
	*ret_contents = contents;
	return 0;
}

void name_cache_contents_deinit(struct name_cache_contents *contents)
{
	for (size_t i = 0; i < contents->modules.count; i++)
		free(contents->modules.items[i].name);
	array_free(&contents->modules);
}

int name_cache_clear(struct name_cache *cache)
{
	char why[NAME_WHY_MAX];
	int r = name_shelf_clear(&cache->desk, why);

	if (r == -ENOENT)
		return 0;
	return r < 0 ? fail(cache, "clear", r, *why ? why : NULL) : 0;
}
