/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What becomes of each kind of record that is no event when it leaves the window: one row for
 * each kind below EVENT_TASK, and for those of NAMES. tests/unit/record/flight/test_state_rules.c
 * fails if the format has a kind without a row.
 */
#ifndef RWALKER_RECORD_FLIGHT_STATE_RULES_H
#define RWALKER_RECORD_FLIGHT_STATE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"

enum state_rule {
	STATE_UNKNOWN, /* no row */
	STATE_DROPPED, /* it is about its own time only */
	STATE_LATEST,  /* the latest with the same key stays */
	STATE_TOLD_AGAIN, /* the same, for as long as it is repeated */
	STATE_TOTAL,   /* the latest stays, and is what a dump takes off later ones */
	STATE_SPACES,  /* changes address spaces */
};

enum { STATE_KEY_MAX = 128 };

struct state_key {
	_Alignas(8) char bytes[STATE_KEY_MAX];
	uint32_t length;
};

enum state_rule state_rule_of(enum event_kind kind);
/* What tells its record apart from others of its kind. */
void state_key_of(const struct event *event, struct state_key *ret_key);
struct state_span { /* of a dump, CLOCK_MONOTONIC ns */
	uint64_t since, until;
};

/* As if the recording were no longer than the span; `before`: the latest total before it, NULL: there was none. */
void state_within(struct event *event, const struct event *before, const struct state_span *span);

#endif
