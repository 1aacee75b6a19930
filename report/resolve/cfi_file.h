/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The call frame information of an ELF file, read from it and indexed; the bytes are held here for as long as the index is.
 */
#ifndef RWALKER_REPORT_RESOLVE_CFI_FILE_H
#define RWALKER_REPORT_RESOLVE_CFI_FILE_H

#include "common/elf_file.h"
#include "report/resolve/cfi_section.h"

struct cfi_file {
	struct elf_unwind bytes;
	struct cfi_section *section;
	bool left_out; /* a .debug_frame was there, compressed, and could not be unpacked */
};

/*
 * `debug`: the file's separate debug file, whose .debug_frame counts where the file has none; NULL: there is none.
 * `signal_trampoline`: link-time address of __kernel_rt_sigreturn (aarch64's vDSO) or __restore_rt (musl), which may have no
 * FDE; 0: not known.
 * -ENOTSUP: a machine that is not unwound; -EBADMSG, -E2BIG, -ENOMEM, -errno of reading.
 */
int cfi_file_open(const struct elf_file *elf, const struct elf_file *debug, uint64_t signal_trampoline,
		  struct cfi_file *ret_file);
/* Of a file whose bytes are there already; `source` says all but the sections. As cfi_section_create. */
int cfi_file_index(struct cfi_file *file, struct cfi_source source);
void cfi_file_close(struct cfi_file *file);

#endif
