/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Finds which record of which step an event must be, and whether it is right. */
#pragma once

#include "tests/fault/synthetic_records.h"

struct syn_verdict {
	uint64_t number;
	uint32_t record; /* bit of enum syn_record */
	bool right;
	const struct synthetic *owner; /* whose stacks are in it */
};

struct syn_judge {
	struct synthetic sample;
	struct syn_waits want; /* of the step that was examined last */
};

static inline bool syn_is_event(const struct event *e)
{
	return e->kind == EVENT_SAMPLE || (e->kind >= EVENT_WAIT && e->kind <= EVENT_WAIT_SUMS);
}

static inline uint64_t syn_event_time(const struct event *e)
{
	switch (e->kind) {
	case EVENT_SAMPLE:
		return e->sample.time;
	case EVENT_WAIT:
		return e->wait.time;
	case EVENT_WAKE:
		return e->wake.time;
	case EVENT_USER_STACK:
		return e->user_stack.time;
	default:
		return e->wait_sums.time;
	}
}

static inline struct syn_verdict syn_compare(struct syn_judge *judge, const struct event_decoder *decoder,
					     const struct event *e)
{
	const struct syn_waits *want = &judge->want;
	uint64_t number = want->number;

	switch (e->kind) {
	case EVENT_SAMPLE:
		syn_make(want->number, &judge->sample);
		return (struct syn_verdict){number, SYN_SAMPLE, syn_is_sample(decoder, &e->sample, &judge->sample),
					    &judge->sample};
	case EVENT_WAIT:
		return (struct syn_verdict){number, SYN_WAIT, syn_is_wait(decoder, &e->wait, want), &want->sleeper};
	case EVENT_WAKE:
		return (struct syn_verdict){number, SYN_WAKE, syn_is_wake(decoder, &e->wake, want), &want->waker};
	case EVENT_USER_STACK:
		return (struct syn_verdict){number, SYN_USER_STACK, syn_is_user_stack(decoder, &e->user_stack, want),
					    &want->returner};
	default:
		return (struct syn_verdict){number, SYN_SUMS,
					    syn_is_sums(decoder, &e->wait_sums, want), &want->sleeper};
	}
}

/* A sample, wait ... that is not one of the first `steps` is wrong. */
static inline struct syn_verdict syn_judge(struct syn_judge *judge, const struct event_decoder *decoder,
					   const struct event *e, uint32_t steps)
{
	uint64_t number = (syn_event_time(e) - SYN_BASE) / SYN_STEP;
	struct syn_verdict verdict;

	if (number >= steps)
		return (struct syn_verdict){.number = number};
	if (!judge->want.records || number != judge->want.number)
		syn_make_waits((uint32_t)number, &judge->want);
	verdict = syn_compare(judge, decoder, e);
	verdict.right = verdict.right && judge->want.records & verdict.record;
	return verdict;
}
