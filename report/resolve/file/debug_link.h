/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * .gnu_debuglink: the base name of a file's separate debug file, and the CRC32 of its content
 * (GDB's manual, "Separate Debug Files"). The name is untrusted: if it could leave its
 * folder it is ignored.
 */
#ifndef RWALKER_REPORT_RESOLVE_FILE_DEBUG_LINK_H
#define RWALKER_REPORT_RESOLVE_FILE_DEBUG_LINK_H

#include "common/elf/elf_file.h"

enum { DEBUG_LINK_NAME = 256 };

struct debug_link {
	char name[DEBUG_LINK_NAME];
	uint32_t crc;
};

/* -ENOENT: no such section; -EBADMSG: malformed; -ENOMEM; -errno: a read failed. */
int debug_link_read(const struct elf_file *elf, struct debug_link *ret_link);

/* Checks that the file is the linked one. 0; -ESTALE: its CRC differs; -E2BIG: too large to read; -errno of pread. */
int debug_link_check(const struct debug_link *link, int fd);

#endif
