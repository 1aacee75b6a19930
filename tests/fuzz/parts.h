/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The inputs of fuzz_report_waits: PARTS_SETTINGS bytes that choose filters and settings, then
 * parts: a mark, a byte that says what follows, and the payload of a chunk up to the next mark.
 * Header, sizes and checksums are made around them, so whatever bytes a fuzzer provides, the
 * records of a chunk are reached.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PARTS_SETTINGS = 10, PARTS_MARK = 4 };

enum part_kind { /* 2 bits of the byte after a mark */
	PART_EVENTS,
	PART_STATE,
	PART_EMBED,
	PART_SECTION, /* one more section; its payload is one of EVENTS */
};
enum { PART_SNAPSHOTS = 16 }; /* SNAPSHOTS, whatever the two bits say */
/* What the header says about its times; else they are right. */
enum part_times { PART_NO_TIMES = 4, PART_ALL_TIMES = 8 };

static const uint8_t parts_mark[PARTS_MARK] = {'P', 'A', 'R', 'T'};

/* Where the next mark is, or the end. */
static inline size_t parts_next(const uint8_t *bytes, size_t length, size_t at)
{
	const uint8_t *mark = at < length ? memmem(bytes + at, length - at, parts_mark, PARTS_MARK) : NULL;

	return mark ? (size_t)(mark - bytes) : length;
}
