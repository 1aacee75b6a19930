/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The notes of the account, kept in profile->notes until a view prints them. One table
 * (account_notes.c) says for each kind which reports it concerns and what can be done about it.
 * Kinds are in order of gravity, but notes that concern less than ACCOUNT_TRIFLE percent of the
 * samples come last.
 */
#ifndef RWALKER_REPORT_PROFILE_ACCOUNT_ACCOUNT_NOTES_H
#define RWALKER_REPORT_PROFILE_ACCOUNT_ACCOUNT_NOTES_H

#include "report/profile/seam/profile_account.h"
#include "report/profile/tables/profile_internal.h"

enum { ACCOUNT_TRIFLE = 1 };

enum account_kind { /* gravest first */
	ACCOUNT_CUT_SHORT, /* by Ctrl-C */
	ACCOUNT_COARSER, /* less was recorded for a time: every report says so, even the digest with its two notes */
	ACCOUNT_LOST, /* events */
	ACCOUNT_DAMAGED,
	ACCOUNT_UNFINISHED,
	ACCOUNT_INCOMPATIBLE,
	ACCOUNT_LEFT_PACKED,
	ACCOUNT_SIZE_LIMIT,
	ACCOUNT_HELPERS, /* of the recorder were gone */
	ACCOUNT_UNDELIVERED,
	ACCOUNT_COUNTER_LENT,
	ACCOUNT_UNSURE, /* names may be wrong */
	ACCOUNT_MAPPINGS,
	ACCOUNT_WRONG_STACKS,
	ACCOUNT_CUT_COPIES, /* the rest of a stack was not copied */
	ACCOUNT_CUT_STACKS,
	ACCOUNT_NO_KERNEL_STACK,
	ACCOUNT_NO_USER_STACK,
	ACCOUNT_NO_SNAPSHOT,
	ACCOUNT_OTHER_MACHINE,
	ACCOUNT_UNNAMED,
	ACCOUNT_REFUSED, /* a file with names */
	ACCOUNT_COPIED_CODE,
	ACCOUNT_NO_LINES,
	ACCOUNT_BESIDE, /* nothing is wrong */
	ACCOUNT_KINDS
};

struct account_note {
	enum account_kind kind;
	double share; /* percent, 0: unknown; within a kind, the larger share comes first */
	char *text;
	const char *remedy;
	size_t number; /* the order in which they were added, if all else is equal */
	ARRAY(char *) details;
};

struct account_notes {
	ARRAY(struct account_note) items;
	ARRAY(struct profile_account_note) sorted;
};

void account_notes_destroy(struct account_notes *notes);

/*
 * Adds one formatted note, made printable. `share` orders the notes of a kind; the text need not
 * contain it. -ENOMEM.
 */
int account_note(struct profile *profile, enum account_kind kind, double share, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds a line of detail to the last note. -ENOMEM. */
int account_detail(struct profile *profile, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Replaces the table's remedy for the last note. The text must be a constant. */
void account_remedy(struct profile *profile, const char *remedy);

/* Call once, after all notes were added: appends the remedies to the texts. -ENOMEM. */
int account_notes_sort(struct account_notes *notes);

double account_share(uint64_t part, uint64_t whole); /* percent */

#endif
