/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Private to elf_*.c: the open file. All of it was checked when the struct was created, except what
 * the section headers contain (offset, size, link), which is untrusted and is checked where it is
 * used.
 */
#ifndef RWALKER_COMMON_ELF_ELF_INTERNAL_H
#define RWALKER_COMMON_ELF_ELF_INTERNAL_H

#include <elf.h>

#include "common/elf/elf_file.h"

struct elf_file {
	int fd; /* the caller's */
	bool narrow; /* 32-bit: its headers and symbols are widened as they are read */
	uint16_t machine;
	uint64_t entry;
	uint64_t size;
	struct build_id build_id;
	struct elf_segment *segments;
	size_t segment_count;
	Elf64_Phdr eh_frame_hdr; /* p_type 0: none */
	uint32_t name_section;
	Elf64_Shdr *sections;
	size_t section_count;
};

/* Reads all of [offset, offset + length); -EBADMSG if that is not within the file. */
int elf_file_read(const struct elf_file *file, uint64_t offset, uint64_t length, void *out);
/* The same into new memory, which the caller frees. Never allocates more than the file holds. */
int elf_file_read_table(const struct elf_file *file, uint64_t offset, size_t count, size_t size, void **ret_table);
/* The size of a symbol in the file, and the symbol. */
size_t elf_file_symbol_size(const struct elf_file *file);
Elf64_Sym elf_file_symbol(const struct elf_file *file, const void *bytes);
/* The section name string table, with a NUL as its last byte; the caller frees it. -EBADMSG if there is none. */
int elf_file_section_names(const struct elf_file *file, char **ret_names, size_t *ret_size);

#endif
