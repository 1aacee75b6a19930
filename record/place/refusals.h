/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Files that were not read because of what they are, by reason. Files that were gone or too slow
 * are not among them. The errors are those of the opener (struct opener_reply).
 */
#ifndef RWALKER_RECORD_PLACE_REFUSALS_H
#define RWALKER_RECORD_PLACE_REFUSALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REFUSAL_REASONS = 8 };

struct refusals {
	uint64_t counts[REFUSAL_REASONS];
};

/* False: this -errno is no refusal, and is not counted. */
bool refusals_add(struct refusals *refusals, int error);

/* "2 through a symbolic link, 1 not an ELF file"; empty: nothing was refused. Returns text. */
const char *refusals_text(const struct refusals *refusals, char *text, size_t room);

#endif
