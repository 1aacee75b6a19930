/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The answers of a resolver for made-up modules: always the same for a module and an address, so
 * that right and wrong answers of a cache can be told apart.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "report/resolve/cache/name_cache.h"
#include "tests/random.h"

enum { TRUTH_LEVELS = 6, TRUTH_SYMBOLS = 500 };

struct truth {
	struct line_level levels[TRUTH_LEVELS];
	size_t count;
	char functions[TRUTH_LEVELS][64], files[TRUTH_LEVELS][64];
};

static inline struct build_id truth_id(uint64_t module)
{
	struct build_id id = {.length = 20};
	struct random random = random_make(module);

	for (int i = 0; i < 20; i++)
		id.bytes[i] = (uint8_t)random_next(&random);
	return id;
}

static inline struct name_source truth_source(uint32_t rank, uint64_t module)
{
	struct stat status = {.st_size = (off_t)(1000 + module), .st_mtim = {.tv_sec = 1700000000, .tv_nsec = 5}};
	struct name_source source;

	name_source_start(&source, rank, "truth 1");
	name_source_add_file(&source, "/usr/lib/debug/a b.debug", &status);
	return source;
}

/* Some addresses have no levels, some levels no function or no file. */
static inline void truth_of(uint64_t module, uint64_t address, struct truth *truth)
{
	struct random random = random_make(module * 1000003 + address);

	truth->count = random_below(&random, TRUTH_LEVELS);
	for (size_t i = 0; i < truth->count; i++) {
		char *function = truth->functions[i], *file = truth->files[i];

		(void)snprintf(function, 64, "_ZN4name%u\xc3\xa9_Ev", (unsigned int)random_below(&random, 500));
		(void)snprintf(file, 64, "/src/%u/file.c", (unsigned int)random_below(&random, 50));
		truth->levels[i] = (struct line_level){
			.function = random_below(&random, 10) ? function : NULL,
			.file = random_below(&random, 10) ? file : NULL,
			.line = (uint32_t)(random_below(&random, 20) ? random_below(&random, 5000) : UINT32_MAX),
		};
	}
}

static inline bool truth_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static inline bool truth_same(const struct truth *truth, const struct line_level *levels, size_t count)
{
	if (count != truth->count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!truth_same_text(levels[i].function, truth->levels[i].function) ||
		    !truth_same_text(levels[i].file, truth->levels[i].file) || levels[i].line != truth->levels[i].line)
			return false;
	return true;
}

static inline int truth_symbols(uint64_t module, struct symbol_list *list)
{
	struct random random = random_make(~module);
	char name[64];
	int r = 0;

	for (int i = 0; i < TRUTH_SYMBOLS && r == 0; i++) {
		int length = snprintf(name, sizeof(name), "symbol_%llx", (unsigned long long)random_next(&random));

		r = symbol_list_add(list, random_next(&random) >> (i % 40),
				    random_below(&random, 5000), name, (size_t)length);
		if (r == 0)
			list->symbols.items[list->symbols.count - 1].binding = (uint8_t)random_below(&random, 3);
	}
	return r;
}

static inline bool truth_same_symbols(const struct symbol_list *a, const struct symbol_list *b)
{
	if (a->symbols.count != b->symbols.count)
		return false;
	for (size_t i = 0; i < a->symbols.count; i++) {
		const struct raw_symbol *left = &a->symbols.items[i], *right = &b->symbols.items[i];

		if (left->address != right->address || left->size != right->size || left->binding != right->binding ||
		    strcmp(a->names.items + left->name, b->names.items + right->name) != 0)
			return false;
	}
	return true;
}
