/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Starts and ends of functions, from a file's call frame information: all that is known of code
 * without symbols. A part that the compiler split off (a function's cold part) counts as a function
 * of its own.
 */
#ifndef RWALKER_COMMON_ELF_CFI_FUNCTIONS_H
#define RWALKER_COMMON_ELF_CFI_FUNCTIONS_H

#include "common/array.h"
#include "common/elf/elf_file.h"

struct cfi_function {
	uint64_t start, end; /* [start, end), link-time */
};

struct cfi_functions {
	ARRAY(struct cfi_function) list; /* by start */
};

/* Functions in .eh_frame and .debug_frame. Malformed or compressed sections yield what can be read. -ENOMEM. */
int cfi_functions_read(const struct elf_unwind *unwind, uint64_t text, struct cfi_functions *ret_functions);
/* The same for a file. */
int cfi_functions_of_file(const struct elf_file *file, struct cfi_functions *ret_functions);
void cfi_functions_deinit(struct cfi_functions *functions);

/* The function that contains the address; NULL if there is none. */
const struct cfi_function *cfi_functions_find(const struct cfi_functions *functions, uint64_t address);

#endif
