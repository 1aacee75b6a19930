/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An ELF section that is compressed (SHF_COMPRESSED; System V gABI, "Section Compression"), into memory. The section is
 * hostile: what it says of its size is believed only up to a limit, and a stream that holds more or less than that is refused.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNPACK_SECTION_H
#define RWALKER_REPORT_RESOLVE_UNPACK_SECTION_H

#include <stddef.h>
#include <stdint.h>

/*
 * `bytes`: the section as the file has it, from its Elf64_Chdr on. What is given back the caller frees.
 * -ENOTSUP: compressed by what is neither zlib nor Zstandard; -EBADMSG; -E2BIG: larger than `most`; -ENOMEM.
 */
int unpack_section(const uint8_t *bytes, size_t size, size_t most, uint8_t **ret_bytes, size_t *ret_size);

#endif
