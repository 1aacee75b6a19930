/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A program that only reads names, for tests/live/test_cache.sh:
 *
 * 	name_cache report FILE|- SEED [COUNT]	looks up addresses of made-up modules, in the cache
 * 						first; prints the names and, on stderr, how many
 * 						were in the cache, and how many of these were wrong
 * 	name_cache loop FILE SEED		does that forever, and prints nothing
 *
 * Exit code: 1 a name was wrong; 2 an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "tests/fault/name_truth.h"

enum { MODULES = 20, ADDRESSES = 5000, LOOKED_UP = 4, COUNT = 2000 };

struct tally {
	uint64_t known, asked, wrong;
	FILE *out; /* NULL: nothing is printed */
};

static void print_levels(const struct tally *tally, uint64_t module, uint64_t address, const struct line_level *levels,
			 size_t count)
{
	if (!tally->out)
		return;
	(void)fprintf(tally->out, "%" PRIu64 "+%" PRIu64, module, address);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(tally->out, " %s %s:%u%s", levels[i].function ? levels[i].function : "?",
			      levels[i].file ? levels[i].file : "?", levels[i].line, i + 1 < count ? " [inlined]" : "");
	(void)fputc('\n', tally->out);
}

static int look_up(struct name_frames *frames, uint64_t module, uint64_t address, struct tally *tally)
{
	const struct line_level *levels;
	struct truth truth;
	size_t count;

	truth_of(module, address, &truth);
	tally->asked++;
	if (name_frames_find(frames, address, &levels, &count)) {
		tally->known++;
		tally->wrong += !truth_same(&truth, levels, count);
		print_levels(tally, module, address, levels, count);
		return 0;
	}
	print_levels(tally, module, address, truth.levels, truth.count);
	return name_frames_add(frames, address, truth.levels, truth.count);
}

static int look_up_symbols(struct name_cache *cache, uint64_t module, const char *name, struct tally *tally)
{
	const struct build_id id = truth_id(module);
	const struct name_source source = truth_source(1, module);
	struct symbol_list truth = {0}, got = {0};
	int r = truth_symbols(module, &truth);

	if (r == 0)
		r = name_cache_find_symbols(cache, &id, &source, &got);
	if (r > 0)
		tally->wrong += !truth_same_symbols(&truth, &got);
	if (r == 0)
		r = name_cache_put_symbols(cache, &id, name, &source, &truth);
	symbol_list_deinit(&truth);
	symbol_list_deinit(&got);
	return r < 0 ? r : 0;
}

/* Modules with even numbers are on the server. */
static int look_up_answer(struct name_cache *cache, uint64_t module, struct tally *tally)
{
	const struct build_id id = truth_id(module);
	char truth[32];
	const char *path;

	(void)snprintf(truth, sizeof(truth), "/cache/%" PRIu64, module);
	switch (name_cache_answer(cache, &id, "debuginfo", "http://127.0.0.1", &path)) {
	case NAME_ANSWER_NONE:
		tally->wrong += module % 2 == 0;
		return 0;
	case NAME_ANSWER_FOUND:
		tally->wrong += module % 2 == 1 || strcmp(path, truth) != 0;
		return 0;
	default:
		return name_cache_put_answer(cache, &id, "debuginfo", "http://127.0.0.1", module % 2 ? NULL : truth);
	}
}

static int look_up_module(struct name_cache *cache, uint64_t module, struct random *random,
			  size_t count, struct tally *tally)
{
	const struct build_id id = truth_id(module);
	const struct name_source source = truth_source(1, module);
	struct name_frames *frames;
	char name[32];
	int r;

	(void)snprintf(name, sizeof(name), "module-%" PRIu64, module);
	r = name_cache_frames(cache, &id, name, &source, &frames);
	for (size_t i = 0; i < count && r == 0; i++)
		r = look_up(frames, module, random_below(random, ADDRESSES), tally);
	if (r == 0)
		r = look_up_symbols(cache, module, name, tally);
	return r < 0 ? r : look_up_answer(cache, module, tally);
}

static int run_once(const char *path, uint64_t seed, size_t count, struct tally *tally)
{
	const struct name_cache_settings settings = {.path = path};
	struct random random = random_make(seed);
	struct name_cache *cache = NULL;
	int r = strcmp(path, "-") != 0 ? name_cache_create(&settings, &cache) : 0;

	for (int i = 0; i < LOOKED_UP && r == 0; i++)
		r = look_up_module(cache, 1 + random_below(&random, MODULES), &random, count, tally);
	if (r == 0)
		name_cache_save(cache);
	name_cache_destroy(cache);
	return r;
}

int main(int argc, char **argv)
{
	struct tally tally = {0};
	struct timespec start, end;
	uint64_t seed;
	int r = 0;

	if (argc < 4)
		return 2;
	seed = strtoull(argv[3], NULL, 10);
	if (!strcmp(argv[1], "loop"))
		for (; r == 0; seed++)
			r = run_once(argv[2], seed, 200, &tally);
	tally.out = stdout;
	(void)clock_gettime(CLOCK_MONOTONIC, &start);
	r = run_once(argv[2], seed, argc > 4 ? strtoull(argv[4], NULL, 10) : COUNT, &tally);
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	(void)fprintf(stderr, "known %" PRIu64 " of %" PRIu64 " wrong %" PRIu64 "\n", tally.known,
		      tally.asked, tally.wrong);
	if (getenv("CACHE_TIME"))
		(void)fprintf(stderr, "%ld us\n", (end.tv_sec - start.tv_sec) * 1000000 +
			      (end.tv_nsec - start.tv_nsec) / 1000);
	return r < 0 ? 2 : tally.wrong > 0;
}
