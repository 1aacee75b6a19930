/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The meaning of the causes of losses: one table decides what --info and the account of a report
 * say about a cause, and whether it makes the exit code 3. A cause that this version does not know
 * counts as a loss of events.
 */
#ifndef RWALKER_REPORT_READ_LOSS_TABLE_H
#define RWALKER_REPORT_READ_LOSS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"
#include "report/read/trace_file.h"

enum loss_meaning {
	MEANS_UNKNOWN,
	MEANS_COUNT,	/* part of the identity seen = recorded + left out + lost, but not a loss */
	MEANS_LEFT_OUT, /* seen, but not requested */
	MEANS_NOTE,	/* concerns quality only */
	MEANS_LOST,	/* events that should be there: part of the identity */
	MEANS_SKIPPED,	/* likewise, but only known for all CPUs together: not part of the identity */
	MEANS_MISSING,	/* something else that should be there */
};

enum loss_share {
	SHARE_NONE, /* no share: it does not count events */
	SHARE_OF_RECORDED, /* relative to the recorded events, of which these are a part */
	SHARE_BESIDE, /* relative to the recorded events plus these, which are not among them */
};

struct loss_row {
	enum loss_meaning meaning;
	const char *name; /* in tables */
	/*
	 * "N events lost: <text>" for lost and skipped events, else "1 <noun> <text>" or "N <nouns>
	 * <text>"; NULL: never reported.
	 */
	const char *text, *noun, *nouns;
	bool elsewhere; /* the account reports it in another way, from better numbers */
	enum loss_share share;
	const char *remedy; /* NULL: the account's remedy for this kind of note */
};

struct loss_sums {
	uint64_t by_cause[LOSS_CAUSES];
	uint64_t unknown; /* the sum of causes that are not in the table */
};

/* Accepts any number. Never NULL. */
const struct loss_row *loss_row_of(uint64_t cause);
/* Whether the events themselves are lost, as opposed to something that belongs to them. */
bool loss_is_of_events(const struct loss_row *row);

void loss_sums_add(struct loss_sums *sums, const struct event_loss *loss);
/* Whether anything was lost, which makes the exit code 3. */
bool loss_sums_lost(const struct loss_sums *sums);

/*
 * Whether a trace lacks anything that should be in it: the only place that decides, for --info and
 * for the account of a report, whether the exit code is 3. loss_table.c has the causes of losses
 * that count. What is only of lower quality, or was left out on request, is not lacking.
 */

/* Whether events, or the kernel's records of processes, were lost during the recording. */
bool trace_model_lost(const struct trace_model *model);
/*
 * Whether any section has such losses; or chunks are damaged, missing or unreadable; or it is
 * unknown what followed the last one. Damage in EVENTS chunks is found only when they are read.
 */
bool trace_file_lacks(const struct trace_file *file);

#endif
