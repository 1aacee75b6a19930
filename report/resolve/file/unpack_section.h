/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Decompresses an ELF section (SHF_COMPRESSED; System V gABI, "Section Compression") into memory.
 * The section is hostile: its declared size is accepted only up to a limit, and the stream must
 * have exactly that size.
 */
#ifndef RWALKER_REPORT_RESOLVE_FILE_UNPACK_SECTION_H
#define RWALKER_REPORT_RESOLVE_FILE_UNPACK_SECTION_H

#include <stddef.h>
#include <stdint.h>

/*
 * `bytes`: the section as in the file, starting with its Elf64_Chdr. The caller frees the result.
 * -ENOTSUP: neither zlib nor Zstandard; -EBADMSG; -E2BIG: larger than `most`; -ENOMEM.
 */
int unpack_section(const uint8_t *bytes, size_t size, size_t most, uint8_t **ret_bytes, size_t *ret_size);

#endif
