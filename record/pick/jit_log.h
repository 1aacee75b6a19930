/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The binary file that JIT compilers leave for perf, jit-PID.dump: a record for each piece of code
 * they made, as described in perf's Documentation/jitdump-specification.txt (JIT_CODE_LOAD and
 * JIT_CODE_MOVE; the others say nothing about names). The compiler maps a page of it executable,
 * which is how it is found. If several pieces of code were at one address, the latest counts. The
 * target writes the file while we read it: reading is bounded, and ends at the first record that
 * makes no sense.
 */
#ifndef RWALKER_RECORD_PICK_JIT_LOG_H
#define RWALKER_RECORD_PICK_JIT_LOG_H

#include <stdbool.h>

#include "common/elf/elf_file.h"

/* Whether a mapped file is one, by the end of its path: ".../jit-NUMBER.dump". */
bool jit_log_is_path(const char *path);

/*
 * Run-time addresses, ascending; may be empty. 0; -ENOEXEC: not such a file, or another byte
 * order; -ENOMEM, -EFBIG, -errno of pread.
 */
int jit_log_read(int fd, struct elf_symbols *ret_symbols);

#endif
