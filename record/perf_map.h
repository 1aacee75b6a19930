/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The text map that JIT compilers leave in /tmp/perf-PID.map: "START SIZE name" per line, numbers in hex, as perf's
 * Documentation/jit-interface.txt describes. Later lines override earlier ones that overlap (code memory is reused).
 * The file is written by the target while we read: read with pread, bounded, lines that make no sense are skipped.
 */
#ifndef RWALKER_RECORD_PERF_MAP_H
#define RWALKER_RECORD_PERF_MAP_H

#include "common/elf_file.h"

/* Run-time addresses; not sorted. An empty list is no error. -ENOMEM, -EFBIG, -errno of pread. */
int perf_map_read(int fd, struct elf_symbols *ret_symbols);

#endif
