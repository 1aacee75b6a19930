/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the causes of losses mean: one table decides what --info and the account of a report say
 * about a cause, and whether it makes the exit code 3. A cause that this version does not know
 * counts as a loss of events.
 */
#ifndef RWALKER_REPORT_READ_LOSS_TABLE_H
#define RWALKER_REPORT_READ_LOSS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event_account.h"
#include "format/loss_cause.h"

enum loss_meaning {
	MEANS_UNKNOWN,
	MEANS_COUNT,	/* part of the identity seen = recorded + left out + lost, but none of its losses */
	MEANS_LEFT_OUT, /* seen, but not requested */
	MEANS_NOTE,	/* of quality */
	MEANS_LOST,	/* events that should be there: part of the identity */
	MEANS_SKIPPED,	/* likewise, but known for all CPUs together only: not part of it */
	MEANS_MISSING,	/* something else that should be there */
};

enum loss_share {
	SHARE_NONE, /* it counts no events */
	SHARE_OF_RECORDED, /* of the recorded events, which it happened to */
	SHARE_BESIDE, /* of these and itself: it is no part of them */
};

struct loss_row {
	enum loss_meaning meaning;
	const char *name; /* in tables */
	/*
	 * "N events lost: <text>" of lost and skipped events, "1 <noun> <text>" or "N <nouns> <text>" of the others;
	 * NULL: never reported.
	 */
	const char *text, *noun, *nouns;
	bool elsewhere; /* the account has other words, from better numbers */
	enum loss_share share;
	const char *remedy; /* NULL: what the account says of its kind of note */
};

struct loss_sums {
	uint64_t by_cause[LOSS_CAUSES];
	uint64_t unknown; /* of causes that are not in the table */
};

/* Any number may be passed. Never NULL. */
const struct loss_row *loss_row_of(uint64_t cause);
/* Whether the events themselves are lost, as opposed to something that belongs to them. */
bool loss_is_of_events(const struct loss_row *row);

void loss_sums_add(struct loss_sums *sums, const struct event_loss *loss);
/* Whether anything was lost: exit code 3. */
bool loss_sums_lost(const struct loss_sums *sums);

#endif
