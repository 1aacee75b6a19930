/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Moments and lengths of time on the command line:
 *
 *	+2.5s  +2.5  2.5  250ms		since the start of each recording
 *	2026-11-21 12:00:03.25		wall clock, UTC; 'T' between the two, 'Z' after them
 *	12:00:03.25  12:00		time of day, UTC
 *	@1732190400.5			seconds since 1970
 *	50ms  1.5s  200us  10ns  3	lengths; without a unit they are seconds
 *
 * Exact: what is not a whole number of nanoseconds, or does not fit into 64 bits, is refused.
 * -EINVAL if the text is not completely understood; the caller, which knows the option's name,
 * reports it.
 */
#ifndef RWALKER_REPORT_VIEW_MOMENT_PARSE_H
#define RWALKER_REPORT_VIEW_MOMENT_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "report/profile/profile.h"

int moment_parse(const char *text, size_t length, struct profile_moment *ret_moment);

/* "TIME" or "TIME±LENGTH", where '±' may also be "+-" or '~'; the default length is 0. */
int moment_parse_around(const char *text, struct profile_moment *ret_moment, uint64_t *ret_around);

/*
 * "A,B"; either may be left out and is then PROFILE_MOMENT_NONE. If both are offsets or dates, the
 * second must not be earlier than the first.
 */
int moment_parse_span(const char *text, struct profile_moment *ret_from, struct profile_moment *ret_to);

#endif
