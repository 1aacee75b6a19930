/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Every cause of a loss has its words, and FORMAT.md's losses, no others, are losses. */
#include "report/read/loss_table.h"

#include <stdlib.h>
#include <string.h>

#include "report/read/trace_verdict.h"
#include "tests/test.h"

static struct loss_sums sums_of(uint32_t cause)
{
	const struct event_loss loss = {.cause = cause, .total = 1};
	struct loss_sums sums = {0};

	loss_sums_add(&sums, &loss);
	return sums;
}

/*
 * The specification says of each of the others that it is not a loss, or a note on quality, or
 * counts something else.
 */
static void losses_are_those_of_the_format(struct test *t)
{
	static const uint32_t lost[] = {LOSS_RING_FULL, LOSS_NO_TASK_ENTRY, LOSS_RECURSION,
					LOSS_NESTED,	LOSS_SIDEBAND,	    LOSS_ENCODER,   LOSS_LOOK};

	for (uint32_t cause = 1; cause < LOSS_CAUSES; cause++) {
		struct loss_sums sums = sums_of(cause);
		bool want = false;

		for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
			want |= lost[i] == cause;
		CHECK_INT(t, loss_sums_lost(&sums), want);
		CHECK_INT(t, sums.unknown, 0);
	}
}

static void what_is_not_known_is_a_loss(struct test *t)
{
	static const uint32_t causes[] = {0, LOSS_CAUSES, UINT32_MAX};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		struct loss_sums sums = sums_of(causes[i]);

		CHECK(t, loss_sums_lost(&sums) && sums.unknown == 1);
		CHECK(t, loss_is_of_events(loss_row_of(causes[i])));
	}
}

/* What is printed has words; each cause has a name of its own. */
static void every_cause_has_words(struct test *t)
{
	for (uint32_t cause = 1; cause < LOSS_CAUSES; cause++) {
		const struct loss_row *row = loss_row_of(cause);

		REQUIRE(t, row->name != NULL);
		CHECK(t, row->text || row->meaning < MEANS_NOTE);
		CHECK(t, !row->text || loss_is_of_events(row) || (row->noun && row->nouns));
		for (uint32_t other = 1; other < cause; other++)
			CHECK(t, strcmp(row->name, loss_row_of(other)->name) != 0);
	}
}

/* --- trace verdict --- */

/*
 * What the exit code 3 is for, as FORMAT.md and the man page list it: losses of events, and times
 * without records of processes.
 */

static bool lost_with(const struct event_loss *loss, const struct event_unsure *unsure)
{
	struct trace_model model = {0};
	bool lost;

	if ((loss && array_push(&model.losses, *loss) < 0) || (unsure && array_push(&model.unsure, *unsure) < 0))
		abort();
	lost = trace_model_lost(&model);
	array_free(&model.losses);
	array_free(&model.unsure);
	return lost;
}

static void counts_losses(struct test *t)
{
	static const struct {
		struct event_loss loss;
		bool lost;
	} cases[] = {
		{{.cause = LOSS_RING_FULL, .total = 1}, true},
		{{.cause = LOSS_RING_FULL, .total = 0}, false},
		{{.cause = LOSS_IDLE, .total = 5}, false},
		{{.cause = LOSS_RECORDED, .total = 1000}, false},
		{{.cause = LOSS_SIDEBAND, .total = 1}, true},
		{{.cause = 60000, .total = 1}, true}, /* of a later version */
	};

	CHECK(t, !lost_with(NULL, NULL));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_check(t, lost_with(&cases[i].loss, NULL) == cases[i].lost, "case %zu", i);
}

static void counts_times_that_are_unsure(struct test *t)
{
	const struct event_unsure silent = {.cause = UNSURE_SILENT}, away = {.cause = UNSURE_AWAY};
	const struct event_loss idle = {.cause = LOSS_IDLE, .total = 1};

	CHECK(t, lost_with(NULL, &silent));
	CHECK(t, lost_with(&idle, &silent));
	CHECK(t, !lost_with(NULL, &away)); /* a CPU that was offline */
}

TEST_MAIN(TEST(losses_are_those_of_the_format), TEST(what_is_not_known_is_a_loss),
	  TEST(every_cause_has_words), TEST(counts_losses), TEST(counts_times_that_are_unsure))
