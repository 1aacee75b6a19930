/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An ELF file's debug sections made readable for libdw 0.188, which does not know zstd, is slow with zlib, and unpacks all that
 * there are: where any is compressed, those that are needed for names and lines are put into a memory image, unpacked, and the others
 * keep their headers only. Also the judge of how much a file would expand to. The file is hostile: read with pread, every
 * number is checked.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNPACK_SECTIONS_H
#define RWALKER_REPORT_RESOLVE_UNPACK_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNPACK_SECTIONS_MAX = 640 << 20 }; /* bytes that all compressed sections may have together */

/*
 * *ret_image: the image, the caller's to free; NULL: the file can be read as it is. -E2BIG: it would be larger than the limit;
 * -ENODATA: it has no debug sections; -EBADMSG: malformed; -ENOMEM; -errno of pread.
 */
int unpack_sections(int fd, uint8_t **ret_image, size_t *ret_size);

/* Whether there is a .debug_info in the file. */
bool unpack_sections_has_dwarf(int fd);

#endif
