/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counts paths that were refused, each once, by the first reason, and keeps an example of each
 * reason. The memory is fixed, so that processes can share it. When it is full, paths that were
 * counted before may be counted again.
 */
#ifndef RWALKER_REPORT_OPENER_REFUSALS_H
#define RWALKER_REPORT_OPENER_REFUSALS_H

#include <limits.h>

#include "report/opener/opener.h"

enum { REFUSALS_KNOWN_BITS = 13 };

struct refusals {
	uint64_t counts[OPENER_REASONS];
	char examples[OPENER_REASONS][PATH_MAX]; /* "": none */
	uint64_t known[1 << REFUSALS_KNOWN_BITS]; /* hashes of paths, 0: free */
	uint32_t known_count;
};

void refusals_add(struct refusals *refusals, enum opener_reason reason, const char *path);

#endif
