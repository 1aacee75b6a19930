/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A folder with a cache of names, and reports that learn from made-up modules and check what is known later. */
#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fault/name_truth.h"
#include "tests/test.h"

enum { NOW = 1800000000, HOUR = 3600, ADDRESSES = 300 };

/* A folder with the cache's file in it, and the messages on stderr. */
struct place {
	char folder[64], path[96], said[4096];
	FILE *file;
	int saved;
};

static inline void place_start(struct place *place)
{
	(void)snprintf(place->folder, sizeof(place->folder), "/tmp/name-cache-XXXXXX");
	if (!mkdtemp(place->folder))
		abort();
	(void)snprintf(place->path, sizeof(place->path), "%s/names.sqlite", place->folder);
	place->file = tmpfile();
	place->saved = dup(STDERR_FILENO);
	(void)dup2(fileno(place->file), STDERR_FILENO);
}

static inline const char *place_stop(struct place *place)
{
	char command[128];
	ssize_t length;

	(void)dup2(place->saved, STDERR_FILENO);
	(void)close(place->saved);
	length = pread(fileno(place->file), place->said, sizeof(place->said) - 1, 0);
	place->said[length > 0 ? length : 0] = '\0';
	(void)fclose(place->file);
	(void)snprintf(command, sizeof(command), "rm -r '%s'", place->folder);
	if (system(command) != 0)
		abort();
	return place->said;
}

static inline struct name_cache *open_cache_at(const char *path, uint64_t now, uint64_t limit)
{
	const struct name_cache_settings settings = {.path = path, .now = now, .limit = limit};
	struct name_cache *cache;

	if (name_cache_create(&settings, &cache) < 0)
		abort();
	return cache;
}

static inline struct name_cache *open_cache(const struct place *place)
{
	return open_cache_at(place->path, NOW, 0);
}

static inline void close_cache(struct name_cache *cache)
{
	name_cache_save(cache);
	name_cache_destroy(cache);
}

static inline struct name_frames *frames_of(struct name_cache *cache, uint64_t module, uint32_t rank)
{
	const struct build_id id = truth_id(module);
	const struct name_source source = truth_source(rank, module);
	struct name_frames *frames;

	if (name_cache_frames(cache, &id, "module", &source, &frames) < 0)
		abort();
	return frames;
}

/* How many of `count` addresses, from `first` on, are known, or -1 if one is wrong. */
static inline int known(struct name_cache *cache, uint64_t module, uint32_t rank, uint64_t first, uint64_t count)
{
	struct name_frames *frames = frames_of(cache, module, rank);
	int found = 0;

	for (uint64_t address = first; address < first + count; address++) {
		const struct line_level *levels;
		struct truth truth;
		size_t level_count;

		if (!name_frames_find(frames, address, &levels, &level_count))
			continue;
		truth_of(module, address, &truth);
		if (!truth_same(&truth, levels, level_count))
			return -1;
		found++;
	}
	return found;
}

static inline void learn(struct name_cache *cache, uint64_t module, uint32_t rank, uint64_t first, uint64_t count)
{
	struct name_frames *frames = frames_of(cache, module, rank);

	for (uint64_t address = first; address < first + count; address++) {
		struct truth truth;

		truth_of(module, address, &truth);
		if (name_frames_add(frames, address, truth.levels, truth.count) < 0)
			abort();
	}
}

static inline void learn_and_close(const struct place *place, uint64_t module, uint32_t rank,
				   uint64_t first, uint64_t count)
{
	struct name_cache *cache = open_cache(place);

	learn(cache, module, rank, first, count);
	close_cache(cache);
}

static inline int known_later(const struct place *place, uint64_t module, uint32_t rank, uint64_t first, uint64_t count)
{
	struct name_cache *cache = open_cache(place);
	int found = known(cache, module, rank, first, count);

	name_cache_destroy(cache);
	return found;
}
