/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What happens to records other than events when they leave the window: one row for each kind below
 * EVENT_TASK, and for those of NAMES. tests/unit/record/flight/test_state_rules.c fails if the
 * format has a kind without a row.
 */
#ifndef RWALKER_RECORD_FLIGHT_STATE_RULES_H
#define RWALKER_RECORD_FLIGHT_STATE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"

enum state_rule {
	STATE_UNKNOWN, /* no row */
	STATE_DROPPED, /* concerns its own time only */
	STATE_LATEST,  /* the latest with the same key stays */
	STATE_TOLD_AGAIN, /* the same, as long as the record is repeated */
	STATE_TOTAL,   /* the latest stays, and a dump subtracts it from later ones */
	STATE_SPACES,  /* changes address spaces */
};

enum { STATE_KEY_MAX = 128 };

struct state_key {
	_Alignas(8) char bytes[STATE_KEY_MAX];
	uint32_t length;
};

enum state_rule state_rule_of(enum event_kind kind);
/* The key that tells a record apart from others of its kind. */
void state_key_of(const struct event *event, struct state_key *ret_key);
struct state_span { /* of a dump, CLOCK_MONOTONIC ns */
	uint64_t since, until;
};

/* Changes a record as if the recording covered only the span. before: the latest total before it; NULL: none. */
void state_within(struct event *event, const struct event *before, const struct state_span *span);

#endif
