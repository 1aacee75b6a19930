/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the elf_*.c files share: the open file. All of it was checked when the
 * file was created, but what a section header says (offset, size, link) is the file's word only and is checked where
 * it is used. Included by nobody else.
 */
#ifndef RWALKER_COMMON_ELF_INTERNAL_H
#define RWALKER_COMMON_ELF_INTERNAL_H

#include <elf.h>

#include "common/elf_file.h"

struct elf_file {
	int fd; /* the caller's */
	uint16_t machine;
	uint64_t size;
	struct build_id build_id;
	struct elf_segment *segments;
	size_t segment_count;
	Elf64_Shdr *sections;
	size_t section_count;
};

/* All of [offset, offset + length), -EBADMSG where it is not within the file. */
int elf_file_read(const struct elf_file *file, uint64_t offset, uint64_t length, void *out);
/* The same into new memory, which the caller frees. Never allocates more than the file holds. */
int elf_file_read_table(const struct elf_file *file, uint64_t offset, size_t count, size_t size, void **ret_table);
/* The string table that names the sections, its last byte NUL; the caller frees it. -EBADMSG where there is none. */
int elf_file_section_names(const struct elf_file *file, char **ret_names, size_t *ret_size);

#endif
