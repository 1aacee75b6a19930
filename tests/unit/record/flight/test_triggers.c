/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Rules about waits: which part of a wait each of them measures. */
#include "record/flight/flight_internal.h"

#include "common/time_units.h"
#include "record/flight/flight.h"
#include "record/plan/task_state.h"
#include "tests/test.h"

enum { LEAST = 50, BLOCKED = 1000, QUEUED = 72 }; /* ms */

struct fired {
	unsigned int count;
	uint64_t value;
};

static void fire(void *context, const struct flight_cause *cause, uint64_t now)
{
	struct fired *fired = context;

	(void)now;
	fired->count++;
	fired->value = cause->value;
}

/* What a rule fires with, ms; 0: it does not. */
static uint64_t value_of(const char *text, const struct event_wait *wait)
{
	const struct event_task task = {.tgid = 7, .tid = 8, .comm = "a"};
	const struct record_offcpu offcpu = {.wanted = true};
	struct record_flight plan = {.wanted = true, .rule_count = 1};
	struct triggers *triggers = NULL;
	struct fired fired = {0};

	if (trigger_rule_parse(text, &plan.rules[0]) < 0 ||
	    triggers_create(&plan, &offcpu, fire, &fired, &triggers) < 0)
		return UINT64_MAX;
	triggers_wait(triggers, wait, &task);
	triggers_destroy(triggers);
	return fired.count > 1 ? UINT64_MAX : fired.value / MILLISECOND;
}

/* A new task exists before it is on a run queue: its parent may be preempted in between. */
static void run_queues_count_from_when_one_is_queued(struct test *t)
{
	static const struct {
		enum wait_class wait_class;
		uint64_t length, queued, value;
	} cases[] = {
		{WAIT_BLOCKED, BLOCKED, QUEUED, QUEUED},
		{WAIT_BLOCKED, BLOCKED, LEAST - 1, 0},
		{WAIT_PREEMPTED, QUEUED, QUEUED, QUEUED},
		{WAIT_STARTED, BLOCKED, QUEUED, QUEUED},
		{WAIT_STARTED, BLOCKED, LEAST - 1, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event_wait wait = {.wait_class = cases[i].wait_class, .time = 9000 * MILLISECOND,
						.length = cases[i].length * MILLISECOND,
						.run_queue = cases[i].queued * MILLISECOND};

		CHECK_INT(t, value_of("runq>50ms", &wait), cases[i].value);
	}
}

/* Nor does what a quota took of it. The state of a frozen thread is none of those that a rule asks for. */
static void quotas_and_freezers_are_no_want_of_a_cpu(struct test *t)
{
	struct event_wait wait = {.wait_class = WAIT_PREEMPTED, .time = 9000 * MILLISECOND, .length = 100 * MILLISECOND,
				  .throttled = 60 * MILLISECOND, .run_queue = 40 * MILLISECOND};

	CHECK_INT(t, value_of("runq>50ms", &wait), 0);
	CHECK_INT(t, value_of("runq>30ms", &wait), 40);
	wait.wait_class = WAIT_BLOCKED;
	wait.run_queue = 10 * MILLISECOND;
	wait.state = TASK_UNINTERRUPTIBLE;
	CHECK_INT(t, value_of("runq>20ms", &wait), 0);
	CHECK_INT(t, value_of("wait:D>20ms", &wait), 30);
	wait.state = 0x8000;
	CHECK_INT(t, value_of("wait:D>20ms", &wait), 0);
}

/* A thread that was woken and then got no CPU was not stuck for that long. */
static void states_end_where_the_run_queue_begins(struct test *t)
{
	const struct event_wait wait = {.wait_class = WAIT_BLOCKED, .state = TASK_UNINTERRUPTIBLE,
					.time = 9000 * MILLISECOND, .length = BLOCKED * MILLISECOND,
					.run_queue = QUEUED * MILLISECOND};

	CHECK_INT(t, value_of("wait:D>927ms", &wait), BLOCKED - QUEUED);
	CHECK_INT(t, value_of("wait:D>928ms", &wait), 0);
	CHECK_INT(t, value_of("wait:D,comm=/a/>928ms", &wait), 0);
	CHECK_INT(t, value_of("wait:S>1ms", &wait), 0);
	CHECK_INT(t, value_of("wait:comm=/a/>999ms", &wait), BLOCKED);
}

TEST_MAIN(TEST(run_queues_count_from_when_one_is_queued), TEST(quotas_and_freezers_are_no_want_of_a_cpu),
	  TEST(states_end_where_the_run_queue_begins))
