/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Translates a report or folded stacks of a scrubbed trace back. Each pseudonym becomes the name
 * that a report of the original trace shows there, escaped as in all reports; everything else
 * passes unchanged. Next to a semicolon, as in folded stacks, semicolons within a name are written
 * as \x3b.
 */
#ifndef RWALKER_REPORT_SCRUB_UNSCRUB_H
#define RWALKER_REPORT_SCRUB_UNSCRUB_H

#include <stdio.h>

#include "report/scrub/pseudonyms.h"

/* 0; -ENOMEM; -errno of reading. The caller must check whether everything could be written. */
int unscrub_stream(const struct pseudonyms *names, FILE *in, FILE *out);

#endif
