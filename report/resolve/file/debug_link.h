/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * .gnu_debuglink: the base name of a file's separate debug file, and the CRC32 of its content
 * (GDB's manual, "Separate Debug Files"). The name is untrusted: one that could lead out of a
 * folder is ignored.
 */
#ifndef RWALKER_REPORT_RESOLVE_FILE_DEBUG_LINK_H
#define RWALKER_REPORT_RESOLVE_FILE_DEBUG_LINK_H

#include "common/elf/elf_file.h"

enum { DEBUG_LINK_NAME = 256 };

struct debug_link {
	char name[DEBUG_LINK_NAME];
	uint32_t crc;
};

/* -ENOENT: no such section; -EBADMSG: it is malformed; -ENOMEM, -errno of reading. */
int debug_link_read(const struct elf_file *elf, struct debug_link *ret_link);

/*
 * Whether the file is the linked one: 0; -ESTALE: its CRC differs; -E2BIG: it is too large to be
 * read; -errno of pread.
 */
int debug_link_check(const struct debug_link *link, int fd);

#endif
