/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Every cause of a loss has its words, and FORMAT.md's losses, no others, are losses. */
#include "report/read/loss_table.h"

#include <stdlib.h>
#include <string.h>

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

TEST_MAIN(TEST(losses_are_those_of_the_format), TEST(what_is_not_known_is_a_loss), TEST(every_cause_has_words))
