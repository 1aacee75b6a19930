/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The account of a profile, so that an empty or thin one is not mistaken for the whole picture:
 * notes, gravest first. Each report ends with the first few notes that concern it; --info prints
 * all of them, with their details. Texts are printable, without newline.
 */
#ifndef RWALKER_REPORT_PROFILE_PROFILE_ACCOUNT_H
#define RWALKER_REPORT_PROFILE_PROFILE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum profile_note_about { /* bits: a note concerns a report that shows any of them; 0: every report */
	ABOUT_SAMPLING = 1,
	ABOUT_KERNEL_STACKS = 2,
	ABOUT_USER_STACKS = 4,
	ABOUT_STACKS = ABOUT_KERNEL_STACKS | ABOUT_USER_STACKS,
};

struct profile_account_note {
	const char *text; /* includes its share, if it has one, and what can be done about it */
	unsigned int about;
	const char *const *details;
	size_t detail_count;
};

struct profile_account {
	const struct profile_account_note *notes;
	size_t count;
};

/* Made on first use: it needs names, and they need the files. Valid until the next account is made. */
void profile_account(struct profile *profile, struct profile_account *ret_account);
/* Whether events were lost, the trace is damaged, or Ctrl-C cut the work short, whatever is shown: exit code 3. */
bool profile_lost(struct profile *profile);
/* The account for some kinds of sources (bits of enum profile_source_kind): counts and shares cover only these. */
void profile_account_of(struct profile *profile, unsigned int kinds, struct profile_account *ret_account);

#endif
