/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How the time for embedding is shared, with files that take as long as the test
 * says: it ends in time whatever they take, and one user's slow files cost no other user's names.
 */
#include "record/embed/embed_budget.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/time_units.h"
#include "record/plan/deadlines.h"
#include "tests/test.h"

enum { VILLAIN = 65533, HONEST = 1000, ROOT = 0, FILES = 400 };

struct made_file {
	uint32_t uid;
	uint64_t takes; /* ms */
	bool done;
};

static const struct embed_budget *sorting;

static int fewest_first(const void *left, const void *right)
{
	const struct made_file *l = left, *r = right;

	return (int)embed_budget_late(sorting, l->uid) - (int)embed_budget_late(sorting, r->uid);
}

/* As embed.c goes through its files. Returns how long it took, ms. */
static uint64_t embed_all(struct embed_budget *budget, struct made_file *files, size_t count)
{
	uint64_t now = 5 * SECOND, begun = now;

	embed_budget_init(budget, now);
	for (enum embed_round round = EMBED_ROUND_ROOT; round < EMBED_ROUNDS; round++) {
		sorting = budget;
		if (round == EMBED_ROUND_REST)
			qsort(files, count, sizeof(*files), fewest_first);
		for (size_t i = 0; i < count; i++) {
			unsigned int ms = files[i].done ? 0 : embed_budget_ms(budget, round, files[i].uid, now);
			uint64_t took = ms < files[i].takes ? ms : files[i].takes;

			files[i].done |= ms && files[i].takes <= ms;
			now += took * MILLISECOND;
			if (ms)
				embed_budget_spend(budget, files[i].uid, took * MILLISECOND);
		}
		embed_budget_forget_late(budget);
		for (size_t i = 0; i < count; i++)
			if (!files[i].done)
				embed_budget_add_late(budget, files[i].uid, "/tmp/perf-1.map");
	}
	return (now - begun) / MILLISECOND;
}

static size_t done(const struct made_file *files, size_t count, uint32_t uid)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += files[i].done && files[i].uid == uid;
	return sum;
}

static void one_user_costs_nobody_else(struct test *t)
{
	struct made_file files[FILES];
	struct embed_budget budget;
	char text[512];

	for (size_t i = 0; i < FILES; i++)
		files[i] = (struct made_file){.uid = VILLAIN, .takes = 3600000};
	files[FILES - 1] = (struct made_file){.uid = ROOT, .takes = 4000};
	files[FILES - 2] = (struct made_file){.uid = HONEST, .takes = 900};
	files[FILES - 3] = (struct made_file){.uid = HONEST + 1, .takes = 1500}; /* in a later round */
	CHECK(t, embed_all(&budget, files, FILES) <= EMBED_TIME);
	CHECK_INT(t, done(files, FILES, ROOT) + done(files, FILES, HONEST) + done(files, FILES, HONEST + 1), 3);
	CHECK_INT(t, done(files, FILES, VILLAIN), 0);
	CHECK_STR(t, embed_budget_text(&budget, text, sizeof(text)),
		  "397 files of user 65533 (the first: /tmp/perf-1.map)");
}

/* Whose single file takes long: he gets all the time that the others leave. */
static void a_slow_file_alone_gets_its_time(struct test *t)
{
	struct made_file files[] = {{HONEST, 4500, false}, {ROOT, 10, false}, {HONEST + 1, 10, false}};
	struct embed_budget budget;

	CHECK(t, embed_all(&budget, files, 3) <= EMBED_TIME);
	CHECK_INT(t, done(files, 3, ROOT) + done(files, 3, HONEST) + done(files, 3, HONEST + 1), 3);
}

TEST_MAIN(TEST(one_user_costs_nobody_else), TEST(a_slow_file_alone_gets_its_time))
