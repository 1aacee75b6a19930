/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * .gnu_debuglink: the base name of a file's separate debug file, and the CRC32 of all of its bytes (GDB's manual,
 * "Separate Debug Files"). The name is the file's word: one that could lead out of a folder is none.
 */
#ifndef RWALKER_REPORT_RESOLVE_DEBUG_LINK_H
#define RWALKER_REPORT_RESOLVE_DEBUG_LINK_H

#include "common/elf_file.h"

enum { DEBUG_LINK_NAME = 256 };

struct debug_link {
	char name[DEBUG_LINK_NAME];
	uint32_t crc;
};

/* -ENOENT: there is no such section; -EBADMSG: it makes no sense; -ENOMEM, -errno of reading. */
int debug_link_read(const struct elf_file *elf, struct debug_link *ret_link);

/* Whether the file is the one that is meant: 0, -ESTALE its CRC is another one, -E2BIG it is too large to be read, -errno of pread. */
int debug_link_check(const struct debug_link *link, int fd);

#endif
