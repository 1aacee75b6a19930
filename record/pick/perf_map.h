/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The text map that JIT compilers leave in /tmp/perf-PID.map: "START SIZE name" per line, numbers
 * in hex, as described in perf's Documentation/jit-interface.txt. Later lines override earlier
 * ones that overlap (code memory is reused). The target writes the file while we read it: read
 * with pread, bounded; lines that make no sense are skipped.
 */
#ifndef RWALKER_RECORD_PICK_PERF_MAP_H
#define RWALKER_RECORD_PICK_PERF_MAP_H

#include "common/elf/elf_file.h"

/* Run-time addresses, unsorted. An empty list is not an error. 0, -ENOMEM, -EFBIG, -errno of pread. */
int perf_map_read(int fd, struct elf_symbols *ret_symbols);

#endif
