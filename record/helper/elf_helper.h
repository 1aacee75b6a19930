/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that reads files which may be hostile: ELF files and JIT symbol maps. It runs
 * without any right (helpers.c), gets an open descriptor with each request, and answers with identity,
 * segments, the function symbols that are wanted, and the bytes from which the functions are
 * unwound.
 *
 * Request: struct elf_request with the descriptor; if `debug` is set, the descriptor of a debug
 * file; then hit_count uint64_t, ascending, in packets of at most PACKET_MAX bytes: file offsets
 * (ELF) or run-time addresses (perf map) that samples point to.
 *
 * Reply: struct elf_reply. For requests that return symbols, if error is 0, packets of struct
 * elf_symbols_reply follow, each with `count` times struct elf_symbol_record and name_length
 * bytes, addresses ascending; the one with `last` ends them. Then, if the request asked for
 * `unwind` or `mini`, packets of struct elf_unwind_reply followed by `length` bytes, up to one with
 * `last`.
 */
#ifndef RWALKER_RECORD_HELPER_ELF_HELPER_H
#define RWALKER_RECORD_HELPER_ELF_HELPER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/elf/elf_file.h"

enum elf_what { ELF_BUILD_ID = 1,
		ELF_SYMBOLS = 2,
		ELF_PERF_MAP = 3,
		ELF_EVIDENCE = 4 /* identity, with `evidence` */ };

enum elf_unwind_wish {
	ELF_UNWIND_NONE,
	ELF_UNWIND_HIT, /* of the functions that were hit: to find callers among the words at the top of a stack */
	ELF_UNWIND_ALL, /* the same, or all of a file, and the code before return addresses: to unwind snapshots */
};

static inline enum elf_unwind_wish elf_unwind_wish(bool snapshots)
{
	return snapshots ? ELF_UNWIND_ALL : ELF_UNWIND_HIT;
}

struct elf_request {
	uint32_t token;
	uint32_t what; /* enum elf_what */
	uint32_t hit_count;
	uint32_t unwind; /* enum elf_unwind_wish; ELF_SYMBOLS only */
	uint32_t mini;	 /* the packed symbols of a stripped file are wanted; ELF_SYMBOLS only */
	uint32_t debug;	 /* one more packet follows, of one byte, with the descriptor of its possible debug file */
	/*
	 * Somebody waits for a dump: some tenths of a second in all at the recorder's priority, without which it would
	 * take seconds on a busy host. Else the helper gives that up for good.
	 */
	uint32_t soon;
	uint32_t unused;
	uint64_t settled;   /* ELF_PERF_MAP: bytes that the map had before the recording */
	uint64_t full_room; /* everything if that takes no more bytes; else what was hit, ... */
	uint64_t room;	    /* ... if that takes no more than these; else -ENOSPC */
};

enum { ELF_REPLY_SEGMENTS = 64 }; /* executable and other load segments; any beyond are dropped */

struct elf_reply {
	uint32_t token;
	int32_t error;
	uint64_t evidence; /* ELF_EVIDENCE: differs if size, sections, segments or symbols do */
	uint32_t full; /* all symbols and all unwind information follow */
	uint32_t machine;
	uint32_t segment_count;
	int32_t unwind_error;	  /* why unwind information that was wanted does not follow */
	uint32_t unwind_left_out; /* functions that were hit whose entries do not fit the format */
	uint64_t bytes;		  /* of what follows, including the symbols' names */
	struct build_id build_id;
	struct elf_segment segments[ELF_REPLY_SEGMENTS];
};

struct elf_symbols_reply {
	uint32_t token;
	uint32_t count;
	uint32_t last;
};

struct elf_symbol_record {
	uint64_t address, size;
	uint32_t name_length;
};

struct elf_unwind_reply {
	uint32_t token;
	uint32_t last;
	uint32_t section; /* enum unwind_section */
	uint32_t size;	  /* of the section */
	uint32_t offset, length; /* of the bytes; length 0: no bytes, only `last` */
	uint64_t address, text;	 /* link-time: of the section; base of pointers that are relative to text */
};

/* The helper's main: serves until the socket closes. */
int elf_helper_run(int socket, const void *context);

#endif
