/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of EMBED chunks (FORMAT.md §7): what the reader needs to know about modules that were
 * hit, written after the stop. Members are in the order of the fields on disk; (t) (s) (z) as in
 * event.h.
 */
#ifndef RWALKER_FORMAT_EVENT_EMBED_H
#define RWALKER_FORMAT_EVENT_EMBED_H

#include "format/event_text.h"

enum embed_status {
	EMBED_FULL = 1,
	EMBED_MIN = 2,
	EMBED_NO_FILE = 3,   /* the file could not be opened in time */
	EMBED_CHANGED = 4,   /* it had a different build-id */
	EMBED_UNREADABLE = 5,/* not an ELF file, malformed, the helper died or took too long */
	EMBED_NO_ROOM = 6,
	EMBED_REFUSED = 7, /* the file is not read because of what or whose it is */
	EMBED_LATE = 8, /* all files together, or those of its owner, took too long */
};

struct event_segment {
	uint64_t file_offset, address, file_size, memory_size, flags;
};

/* What follows for a module, or why nothing follows. On disk the segments: count · count × 5 varints. */
struct event_embed_module {
	uint32_t module;
	uint32_t status;  /* enum embed_status */
	uint32_t machine; /* EM_* */
	uint32_t segment_count;
	const struct event_segment *segments; /* valid until the next record */
};

/*
 * Function symbols of one module, addresses ascending, link-time. May come in several records (each
 * at most a chunk). On disk: module · count · count × (address, difference to the previous one ·
 * size · (s) name). A name may be empty: then only the place of the function is known. The decoder
 * returns one symbol at a time: `symbols` is a cursor, see event_decoder.h.
 */
struct event_embed_symbols {
	uint32_t module;
	uint64_t count;
};

/*
 * JIT symbols of one process, from its perf-PID.map. Like EMBED_SYMBOLS, with the tgid instead of
 * the module, and with run-time addresses.
 */
struct event_perf_map {
	uint32_t tgid;
	uint64_t count;
};

/*
 * What DWARF says about addresses of one module (link-time, ascending). On disk: module · count ·
 * count × (address, difference to the previous one · levels · levels × (function · file · line)).
 * The functions that contain an address, innermost first; the last is the real one, those before it
 * were inlined. Texts are numbered within the record from 1; 0 is not known; where the next free
 * number is used first, (s) the text follows. Read with event_lines.h.
 */
struct event_embed_lines {
	uint32_t module;
	uint64_t count;
};

struct event_line_level {
	struct event_text function, file; /* length 0: not known */
	uint32_t line;			  /* 0: no particular line; in outer levels the line of the call */
};

struct event_line {
	uint64_t address; /* the one that was looked up: for callers, inside the call, before the return address */
	const struct event_line_level *levels;
	uint32_t level_count;
};

enum unwind_section {
	UNWIND_EH_FRAME = 1,
	UNWIND_DEBUG_FRAME = 2,
	UNWIND_MINI_DEBUG_INFO = 3,
	UNWIND_DEBUG_FRAME_PACKED = 4, /* from its Elf64_Chdr on, as in the file */
};

/*
 * A piece of a section of a module's file: of its unwind information, or of the compressed symbols
 * that a stripped file keeps. Missing pieces read as zeros: a piece holds whole entries only. On
 * disk the bytes are last, as (s).
 */
struct event_embed_unwind {
	uint32_t module;
	uint32_t section;  /* enum unwind_section */
	uint64_t address;  /* link-time, of the section's first byte */
	uint32_t size;	   /* of the section */
	uint32_t offset;   /* of the piece in the section */
	uint64_t text, data; /* link-time addresses that pointers relative to text and data count from; 0: unknown */
	struct event_text bytes;
};

struct event_symbol {
	uint64_t address, size;
	struct event_text name;
};

#endif
