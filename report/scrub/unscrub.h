/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Translates a report or folded stacks of a scrubbed trace back: each pseudonym becomes the name that a report of the
 * original shows there, escaped as in all reports; everything else passes unchanged. Between semicolons, as in folded
 * stacks, a semicolon of a name becomes a colon there, too.
 */
#ifndef RWALKER_REPORT_SCRUB_UNSCRUB_H
#define RWALKER_REPORT_SCRUB_UNSCRUB_H

#include <stdio.h>

#include "report/scrub/pseudonyms.h"

/* 0; -ENOMEM; -errno of reading. Whether everything could be written is for the caller to check. */
int unscrub_stream(const struct pseudonyms *names, FILE *in, FILE *out);

#endif
