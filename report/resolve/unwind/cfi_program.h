/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The compiler of call frame instructions: runs the programs of a CIE and an FDE once (DWARF 5
 * §6.4.2, and the GNU and AArch64 extensions) and appends a row to the table for each range of
 * addresses with the same rules. Bounded: a program of at most 64 KiB, 64 remembered states. A
 * malformed instruction ends the program: rows before it are valid, addresses after it have no
 * rule.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_CFI_PROGRAM_H
#define RWALKER_REPORT_RESOLVE_UNWIND_CFI_PROGRAM_H

#include "report/resolve/unwind/cfi_rows.h"

enum { CFI_PROGRAM_MAX_BYTES = 1 << 16, CFI_REMEMBER_MAX = 64 };

/* Working memory, reused for each FDE. -ENOMEM. */
int cfi_program_create(struct cfi_program **ret_program);
void cfi_program_destroy(struct cfi_program *program);

/* Appends the FDE's rows to rows->rows; the first is at offset 0. 0 or -ENOMEM. */
int cfi_program_run(struct cfi_program *program, const struct unwind_arch *arch, const struct cfi_fde *fde,
		    struct cfi_rows *rows);

#endif
