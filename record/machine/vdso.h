/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The code that the kernel maps into every process: an ELF image without a file. It is the same in
 * all processes of one kernel, ours included; its build-id identifies it.
 */
#ifndef RWALKER_RECORD_MACHINE_VDSO_H
#define RWALKER_RECORD_MACHINE_VDSO_H

#include "common/elf/elf_file.h"

/* A copy that can be read like a file, owned by the caller. -1: none. */
int vdso_open(void);
/* length 0: none. */
void vdso_build_id(struct build_id *ret_id);

#endif
