/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The container: what is on disk around the events (FORMAT.md §3). A trace is one or more sections;
 * a section is a file header, chunks, and (if the recorder ended normally) a trailer. It is an
 * append-only stream: nothing is ever patched, a file and a pipe carry the same bytes, `cat a.rwk
 * b.rwk` is legal. All integers are little-endian; structs have natural alignment and no padding;
 * offsets are asserted. Each chunk is padded with zero bytes to a multiple of 8 (of the section's
 * length).
 */
#ifndef RWALKER_FORMAT_TRACE_H
#define RWALKER_FORMAT_TRACE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the format has no swap code: build for a little-endian machine"
#endif

#define RWK_MAGIC "\x89RWK\r\n\x1a\n"
#define RWK_CHUNK_MAGIC "RWKC"
#define RWK_TRAILER_MAGIC "RWKTRAIL"
enum { RWK_MAJOR = 1, RWK_MINOR = 0, RWK_VERSION = 100 * RWK_MAJOR + RWK_MINOR };

struct rwk_file_header {
	uint8_t magic[8];
	uint32_t version;	  /* 100 * major + minor; other major: refuse; larger minor: read, skip what is unknown */
	uint32_t header_size;	  /* bytes from here to the first chunk, >= 64, multiple of 8 */
	uint64_t incompatible;	  /* a bit the reader does not know: refuse */
	uint64_t compatible;	  /* unknown bits: ignore */
	uint8_t section_id[16];	  /* random */
	uint64_t realtime;	  /* CLOCK_REALTIME at the start, ns */
	uint32_t max_raw;	  /* largest raw_size of this section, <= RWK_MAX_RAW_CHUNK */
	uint32_t crc;		  /* CRC32C of bytes 0..59 */
};
static_assert(sizeof(struct rwk_file_header) == 64, "FORMAT.md §3.1");
static_assert(offsetof(struct rwk_file_header, version) == 8, "FORMAT.md §3.1");
static_assert(offsetof(struct rwk_file_header, header_size) == 12, "FORMAT.md §3.1");
static_assert(offsetof(struct rwk_file_header, incompatible) == 16, "FORMAT.md §3.1");
static_assert(offsetof(struct rwk_file_header, compatible) == 24, "FORMAT.md §3.1");
static_assert(offsetof(struct rwk_file_header, section_id) == 32, "FORMAT.md §3.1");
static_assert(offsetof(struct rwk_file_header, realtime) == 48, "FORMAT.md §3.1");
static_assert(offsetof(struct rwk_file_header, max_raw) == 56, "FORMAT.md §3.1");
static_assert(offsetof(struct rwk_file_header, crc) == 60, "FORMAT.md §3.1");

enum rwk_chunk_type {
	RWK_CHUNK_STATE = 1,  /* records that give addresses and ids their meaning */
	/* Samples, walks; refers to STATE by module and source ids, carries its own tasks and stacks. */
	RWK_CHUNK_EVENTS = 2,
	RWK_CHUNK_EMBED = 3,  /* symbols of modules that were hit, after the stop */
	RWK_CHUNK_END = 4,    /* totals and why the recording ended (STATE records META, LOSS, COST) */
	RWK_CHUNK_SNAPSHOTS = 5, /* registers and stack bytes that events refer to; SENSITIVE */
	RWK_CHUNK_NAMES = 6, /* names of what waits were for: paths, addresses; SENSITIVE */
	/* numbers are never reused; 0x8000 and above: for private experiments */
};

enum rwk_codec { RWK_CODEC_NONE = 0, RWK_CODEC_LZ4 = 1 /* one independent LZ4 block */ };

enum rwk_chunk_flag {
	RWK_CHUNK_SENSITIVE = 2, /* may hold secrets: dropping the chunk removes them */
};

struct rwk_chunk_header {
	uint8_t magic[4];
	uint16_t type;
	uint8_t codec, flags;
	uint32_t stored_size;  /* bytes after this header, without the padding */
	uint32_t raw_size;     /* bytes after decompression */
	uint64_t sequence;     /* 0, 1, 2 ... in the section */
	uint64_t first_time;   /* CLOCK_MONOTONIC ns, least and greatest time of its records; 0, 0 if none has a time */
	uint64_t last_time;
	uint32_t payload_crc;  /* CRC32C of the stored bytes and the padding */
	uint32_t header_crc;   /* CRC32C of bytes 0..43, seeded with the crc field of the section's file header */
};
static_assert(sizeof(struct rwk_chunk_header) == 48, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, type) == 4, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, codec) == 6, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, flags) == 7, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, stored_size) == 8, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, raw_size) == 12, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, sequence) == 16, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, first_time) == 24, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, last_time) == 32, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, payload_crc) == 40, "FORMAT.md §3.2");
static_assert(offsetof(struct rwk_chunk_header, header_crc) == 44, "FORMAT.md §3.2");

enum rwk_end_reason {
	RWK_END_CLEAN = 0,
	RWK_END_SIGNAL = 1,   /* second Ctrl-C: embedding cut short */
	RWK_END_NO_SPACE = 2, /* ENOSPC, EDQUOT, floor of free space */
	RWK_END_IO_ERROR = 3,
	RWK_END_SIZE_LIMIT = 4,
	RWK_END_PIPE = 5,     /* the reader closed the pipe (never in a file) */
};

struct rwk_trailer { /* the last bytes of a closed section; for speed only */
	uint8_t magic[8];
	uint64_t chunk_count;  /* chunks of the section, including END */
	uint32_t end_reason;
	uint32_t crc;	       /* CRC32C of bytes 0..19, seeded like the chunk headers */
};
static_assert(sizeof(struct rwk_trailer) == 24, "FORMAT.md §3.3");
static_assert(offsetof(struct rwk_trailer, chunk_count) == 8, "FORMAT.md §3.3");
static_assert(offsetof(struct rwk_trailer, end_reason) == 16, "FORMAT.md §3.3");
static_assert(offsetof(struct rwk_trailer, crc) == 20, "FORMAT.md §3.3");

#endif
