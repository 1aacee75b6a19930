/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ending of a noun that follows a count: "1 sample", "2 samples", "0 samples". It is printed
 * where the ending is:
 *
 *	log_info("%zu module%s added", count, plural(count));
 *
 * Nouns with another plural, and verbs, are chosen by the caller, or better avoided.
 */
#ifndef RWALKER_COMMON_PLURAL_H
#define RWALKER_COMMON_PLURAL_H

#include <stdint.h>

/* "" for 1, else "s". */
static inline const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif
