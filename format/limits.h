/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every limit of the format, normative for writers and readers (FORMAT.md §9). A reader refuses
 * what exceeds them; a writer never writes it.
 */
#ifndef RWALKER_FORMAT_LIMITS_H
#define RWALKER_FORMAT_LIMITS_H

enum {
	RWK_MAX_FILE_HEADER = 4096,
	RWK_MAX_RAW_CHUNK = 4 << 20,	/* bytes of a chunk's payload before compression */
	RWK_TARGET_RAW_CHUNK = 256 << 10, /* a writer closes a chunk at this size or ... */
	RWK_TARGET_CHUNK_MS = 250,	/* ... at this age */
	RWK_TARGET_RAW_SNAPSHOTS = 1 << 20, /* a chunk of snapshots */
	RWK_MAX_STRING = 4096,
	RWK_MAX_COMM = 15,		/* bytes, no NUL */
	RWK_MAX_BUILD_ID = 64,
	RWK_MAX_FRAMES = 1024,		/* in the kernel or the user part of a call chain */
	/* Additional nodes on the path of a user stack, all of them marks (stack_mark.h). */
	RWK_MAX_MARKS = 64,
	RWK_MAX_PATH = RWK_MAX_FRAMES + RWK_MAX_MARKS,
	RWK_MAX_CPUS = 8192,
	RWK_MAX_SEGMENTS = 512,		/* load segments of a module */
	RWK_MAX_MODULES = 1 << 24,
	RWK_MAX_SOURCES = 1024,
	RWK_MAX_PROBES = 1 << 16,
	RWK_MAX_OBJECTS = 1 << 24,
	RWK_MAX_ADDRESS = 16,		/* bytes of a peer's address */
	RWK_MAX_LEVELS = 512,		/* nested inlined functions at one address */
	RWK_MAX_REGISTERS = 64,
	RWK_MAX_SNAPSHOT = 64 << 10,	   /* bytes of a stack in a snapshot */
	RWK_MAX_SNAPSHOT_CODED = 96 << 10, /* the same when encoded */
	RWK_MAX_SNAPSHOT_CHAIN = 16,	   /* length of a chain of keys, each the difference to the next */
	RWK_MAX_UNWIND_SECTION = 64 << 20, /* bytes of a section of unwind information */
	RWK_MAX_UNWIND_PIECE = 128 << 10,
};

/* Most stored bytes of a chunk: LZ4 grows incompressible data by 1/255 plus a few bytes. */
#define RWK_MAX_STORED_CHUNK (RWK_MAX_RAW_CHUNK + RWK_MAX_RAW_CHUNK / 255 + 64)

#endif
