/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the exit code 3 is for, as FORMAT.md and the man page list it: losses of events, and times
 * without records of processes.
 */
#include "report/read/trace_verdict.h"

#include "tests/test.h"

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

TEST_MAIN(TEST(counts_losses), TEST(counts_times_that_are_unsure))
