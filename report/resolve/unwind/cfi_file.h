/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The call frame information of an ELF file, read and indexed; the bytes live as long as the index. */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_CFI_FILE_H
#define RWALKER_REPORT_RESOLVE_UNWIND_CFI_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/elf/cfi_functions.h"
#include "common/elf/elf_file.h"
#include "report/resolve/unwind/cfi_section.h"

struct cfi_file {
	struct elf_unwind bytes;
	struct cfi_section *section;
};

/*
 * `debug`: the file's separate debug file, whose .debug_frame is used if the file has none; NULL:
 * there is none. `signal_trampoline`: link-time address of __kernel_rt_sigreturn (aarch64's vDSO)
 * or __restore_rt (musl), which may have no FDE; 0: unknown. -ENOTSUP: unsupported machine;
 * -EBADMSG, -E2BIG, -ENOMEM, -errno of reading.
 */
int cfi_file_open(const struct elf_file *elf, const struct elf_file *debug, uint64_t signal_trampoline,
		  struct cfi_file *ret_file);
/* For a file whose bytes have been read; `source` has everything but the sections. As cfi_section_create(). */
int cfi_file_index(struct cfi_file *file, struct cfi_source source);
void cfi_file_close(struct cfi_file *file);

/* The function that contains the address (cfi_functions.h), without reading all FDEs. False: none, or no index. */
bool cfi_file_function(const struct cfi_file *file, uint64_t address, struct cfi_function *ret_function);

#endif
