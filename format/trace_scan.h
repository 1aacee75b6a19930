/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the intact parts of a trace (FORMAT.md §8): one pass from the first byte to the last that
 * collects sections and chunk headers, and counts the bytes that belong to neither. Payloads are
 * read only if a header's successor is missing. All work is linear in the file size, even for a
 * hostile file: reading payloads has a budget.
 */
#ifndef RWALKER_FORMAT_TRACE_SCAN_H
#define RWALKER_FORMAT_TRACE_SCAN_H

#include "common/array.h"
#include "format/trace_reader.h"

enum { TRACE_SCAN_WINDOW = 64 << 10 };

struct trace_scan {
	const struct trace_io *io;
	int fd;
	uint64_t size;
	ARRAY(struct trace_section) sections;
	ARRAY(struct trace_chunk) chunks;
	struct trace_damage damage;

	/* private */
	enum { SCAN_OUTSIDE, SCAN_INSIDE, SCAN_UNSUPPORTED } state; /* of a section */
	uint32_t seed;		/* INSIDE */
	uint64_t sequence;	/* expected in the next chunk */
	uint64_t budget;	/* bytes of payload that may still be read */
	uint64_t window_offset;
	size_t window_length;
	uint8_t window[TRACE_SCAN_WINDOW];
	ARRAY(uint8_t) payload; /* stored bytes of the last chunk that was read */
};

/* 0, -ENODATA, -EPROTONOSUPPORT, -ESTALE, -ENOMEM, -errno of pread. io, fd and size must be set, the rest zero. */
int trace_scan_run(struct trace_scan *scan);
void trace_scan_deinit(struct trace_scan *scan);

/* Reads exactly `length` bytes. -ENODATA if the file ends before that. */
int trace_scan_read(const struct trace_io *io, int fd, void *bytes, size_t length, uint64_t offset);

#endif
