/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The encodings of numbers in call frame information: signed LEB128 (DWARF 5 §7.6), and pointers (Linux Standard Base
 * 5.0 core §10.5.1, "DWARF Exception Header Encoding").
 */
#ifndef RWALKER_COMMON_ELF_CFI_POINTER_H
#define RWALKER_COMMON_ELF_CFI_POINTER_H

#include "common/bytes.h"

struct cfi_bytes { /* a section, or a part of one */
	const uint8_t *bytes; /* the caller's; must outlive everything made from them */
	size_t size;	      /* 0: no such section */
	uint64_t address;     /* link-time address of the section's first byte */
};

struct cfi_pointer_bases { /* bases of relative values; text, data 0: unknown */
	uint64_t section, text, data, function;
};

enum { /* the parts of an encoding, DW_EH_PE_*: format and base of a value; the rest is DW_EH_PE_indirect */
	POINTER_FORMAT = 0x0f,
	POINTER_BASE = 0x70,
};

/* At most 10 bytes, like byte_cursor_varint. */
int64_t cfi_read_signed(struct byte_cursor *cursor);

/*
 * Reads one pointer; the cursor goes bad if that fails. `section` contains the bytes that the
 * cursor walks. A raw value of 0 means "none" and yields 0 whatever its base. With `skip` the
 * pointer is only skipped, and may be indirect: such a value is in the memory of the process, which
 * is not available here.
 */
uint64_t cfi_read_pointer(struct byte_cursor *cursor, const struct cfi_bytes *section, uint8_t encoding,
			  const struct cfi_pointer_bases *bases, bool skip);

#endif
