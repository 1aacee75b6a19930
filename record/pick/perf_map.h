/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The text map that JIT compilers leave in /tmp/perf-PID.map: "START SIZE name" per line, numbers
 * in hex, as described in perf's Documentation/jit-interface.txt. Later lines override earlier
 * ones that overlap (code memory is reused); the file has no times. The target writes the file while we read it: read
 * with pread, bounded; lines that make no sense are skipped.
 */
#ifndef RWALKER_RECORD_PICK_PERF_MAP_H
#define RWALKER_RECORD_PICK_PERF_MAP_H

#include "common/elf/elf_file.h"

/* Run-time addresses, in the order of the lines. An empty list is not an error. 0, -ENOMEM, -EFBIG, -errno of pread. */
int perf_map_read(int fd, struct elf_symbols *ret_symbols);

/*
 * Keeps the lines that name the hits (ascending). What a line after the first `settled` bytes named anew, during
 * the recording, had one name before and another one afterwards, and nobody knows when: it is called by both, "A or
 * B", or "C or 2 others". -ENOMEM.
 */
int perf_map_pick(struct elf_symbols *symbols, const uint64_t *hits, size_t count, uint64_t settled);

#endif
