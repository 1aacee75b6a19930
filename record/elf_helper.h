/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that reads files which may be hostile: ELF files, JIT symbol maps and dumps. It runs in a jail (jail.h), gets an
 * open descriptor with each request, and answers with identity, segments and the function symbols that are wanted.
 *
 * Request: struct elf_request with the descriptor, then hit_count uint64_t, ascending, in packets of at most PACKET_MAX
 * bytes: file offsets (ELF) or run-time addresses (perf map, JIT dump) that samples point to. Reply: struct elf_reply; then, for
 * what carries symbols and error is 0, packets of struct elf_symbols_reply followed by `count` times
 * struct elf_symbol_record and name_length bytes, addresses ascending; the one with `last` ends the answer.
 */
#ifndef RWALKER_RECORD_ELF_HELPER_H
#define RWALKER_RECORD_ELF_HELPER_H

#include <stdint.h>

#include "common/elf_file.h"

enum elf_what { ELF_BUILD_ID = 1,
		ELF_SYMBOLS = 2,
		ELF_PERF_MAP = 3,
		ELF_JIT_LOG = 4 };

struct elf_request {
	uint32_t token;
	uint32_t what; /* enum elf_what */
	uint32_t hit_count;
	uint64_t full_room; /* all symbols where they and their names take no more bytes; else those that hold a hit */
};

enum { ELF_REPLY_SEGMENTS = 64 }; /* executable and other load segments; more are cut */

struct elf_reply {
	uint32_t token;
	int32_t error;
	uint32_t full; /* all symbols follow */
	uint32_t machine;
	uint32_t segment_count;
	uint64_t bytes; /* of the symbols that follow, with their names */
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

int elf_helper_run(int socket);

#endif
