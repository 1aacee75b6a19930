/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes an ELF file's debug sections readable for libdw 0.188, which does not support zstd, is slow
 * with zlib, and decompresses all sections: if any is compressed, the sections needed for names and
 * lines are decompressed into a memory image, and only the headers of the others are kept. Also
 * checks the size to which a file would expand. The file is hostile: it is read with pread, and
 * every number is checked.
 */
#ifndef RWALKER_REPORT_RESOLVE_FILE_UNPACK_SECTIONS_H
#define RWALKER_REPORT_RESOLVE_FILE_UNPACK_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNPACK_SECTIONS_MAX = 640 << 20 }; /* limit of the decompressed size of all sections, bytes */

/*
 * *ret_image: the image, which the caller frees; NULL: the file can be read as it is. -E2BIG: the
 * image would exceed the limit; -ENODATA: no debug sections; -EBADMSG: malformed; -ENOMEM; -errno of pread.
 */
int unpack_sections(int fd, uint8_t **ret_image, size_t *ret_size);

/* Whether the file has a .debug_info section. */
bool unpack_sections_has_dwarf(int fd);

#endif
