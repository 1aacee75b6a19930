/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The search for what is whole in a trace (FORMAT.md §8): one pass from the first byte to the last that collects
 * sections and chunk headers, and adds up what belongs to neither. Payloads are read only where a header's
 * successor is missing. All work is linear in the file's size, also for a file that was made to
 * prevent that: reading payloads to find out has a budget.
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
	uint64_t sequence;	/* that the next chunk should have */
	uint64_t budget;	/* bytes of payload that may still be read */
	uint64_t window_offset;
	size_t window_length;
	uint8_t window[TRACE_SCAN_WINDOW];
	ARRAY(uint8_t) payload; /* stored bytes of the chunk that was looked into last */
};

/* 0, -ENODATA, -EPROTONOSUPPORT, -ENOMEM, -errno of pread. io, fd and size are set, the rest is zero. */
int trace_scan_run(struct trace_scan *scan);
void trace_scan_deinit(struct trace_scan *scan);

/* Reads exactly `length` bytes. -ENODATA where the file ends before. */
int trace_scan_read(const struct trace_io *io, int fd, void *bytes, size_t length, uint64_t offset);

/* What a chunk without its file header says about that: trace_salvage.c. */
/* 1: the header is the first chunk of a section, whose file header is *ret_header; 0: no; -errno. */
int trace_salvage_first(struct trace_scan *scan, uint64_t offset, const struct rwk_chunk_header *header,
			struct rwk_file_header *ret_header);
/* 1: the header and the one that follows it agree on one seed; 0: no; -errno. */
int trace_salvage_pair(struct trace_scan *scan, uint64_t offset, const struct rwk_chunk_header *header,
		       struct rwk_file_header *ret_header);
/* 1: the chunk's stored bytes are whole, or the budget is used up; 0: no; -errno. They are in scan->payload. */
int trace_salvage_payload(struct trace_scan *scan, uint64_t offset, const struct rwk_chunk_header *header);

#endif
