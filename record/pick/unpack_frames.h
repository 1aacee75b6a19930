/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The door to zlib: unpacks a compressed section with unwind information (SHF_COMPRESSED; System
 * V gABI, "Section Compression") into memory. The section is hostile: the size it claims is
 * believed only up to a limit.
 */
#ifndef RWALKER_RECORD_PICK_UNPACK_FRAMES_H
#define RWALKER_RECORD_PICK_UNPACK_FRAMES_H

#include "common/elf/elf_file.h"

/*
 * Replaces a compressed section's bytes by their contents. 0; on failure the section is
 * unchanged: -ENOTSUP: not packed by zlib; -E2BIG: larger than `most`; -EBADMSG: malformed;
 * -ENOMEM.
 */
int unpack_frames(struct elf_section_bytes *section, size_t most);

#endif
