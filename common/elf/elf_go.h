/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * .gopclntab: the function table of Go's runtime, which stays in stripped programs. Supports the versions of Go 1.16,
 * 1.18, and 1.20 and later (src/runtime/symtab.go, src/cmd/link/internal/ld/pcln.go), 64-bit, little-endian.
 */
#ifndef RWALKER_COMMON_ELF_ELF_GO_H
#define RWALKER_COMMON_ELF_ELF_GO_H

#include "common/elf/elf_file.h"

/* Where the table is, and the base of its addresses. */
struct elf_go_table {
	const uint8_t *bytes;
	size_t size;
	uint64_t text; /* address of the first function, if the table does not have it; 0: not known */
	uint64_t text_end;
};

/*
 * The functions of the table, ascending. 0; -ENOTSUP: another version, or its addresses cannot be determined; -EBADMSG,
 * -E2BIG; -ENOMEM.
 */
int elf_go_parse(const struct elf_go_table *table, struct elf_symbols *ret_symbols);

/*
 * The frame sizes of the table, for x86-64, as a .debug_frame section, which the owner frees. 0; as above; -E2BIG.
 */
int elf_go_frames(const struct elf_go_table *table, uint8_t **ret_bytes, size_t *ret_size);
int elf_file_go_frames(const struct elf_file *file, uint8_t **ret_bytes, size_t *ret_size);

/* The functions of a file; -ENOENT: it has no such table. */
int elf_file_go_symbols(const struct elf_file *file, struct elf_symbols *ret_symbols);

#endif
