/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers as call frame information encodes them: signed LEB128 (DWARF 5 §7.6), and pointers (Linux Standard Base 5.0 core
 * §10.5.1, "DWARF Exception Header Encoding").
 */
#ifndef RWALKER_COMMON_CFI_POINTER_H
#define RWALKER_COMMON_CFI_POINTER_H

#include "common/byte_cursor.h"

struct cfi_bytes { /* a section, or a part of one */
	const uint8_t *bytes; /* the caller's; must outlive what is made of them */
	size_t size;	      /* 0: there is no such section */
	uint64_t address;     /* link-time address of the first byte */
};

struct cfi_pointer_bases { /* what values count from; text, data 0: unknown */
	uint64_t section, text, data, function;
};

enum { /* DW_EH_PE_*: how a value is written, what it counts from, and whether it is the address of the value */
	POINTER_ABSOLUTE = 0x00,
	POINTER_ULEB = 0x01,
	POINTER_U16 = 0x02,
	POINTER_U32 = 0x03,
	POINTER_U64 = 0x04,
	POINTER_SLEB = 0x09,
	POINTER_S16 = 0x0a,
	POINTER_S32 = 0x0b,
	POINTER_S64 = 0x0c,
	POINTER_FORMAT = 0x0f,
	POINTER_PC_RELATIVE = 0x10,
	POINTER_TEXT_RELATIVE = 0x20,
	POINTER_DATA_RELATIVE = 0x30,
	POINTER_FUNCTION_RELATIVE = 0x40,
	POINTER_ALIGNED = 0x50,
	POINTER_BASE = 0x70,
	POINTER_INDIRECT = 0x80,
	POINTER_OMITTED = 0xff,
};

/* At most 10 bytes, as byte_cursor_varint. */
int64_t cfi_read_signed(struct byte_cursor *cursor);

/*
 * Reads one pointer; the cursor goes bad where it cannot be. `section` holds the bytes the cursor walks over. A raw value
 * of 0 stands for "none" and gives 0 whatever it counts from. With `skip` it is only read over, and may be indirect:
 * the memory of the process, where such a value lies, is not here.
 */
uint64_t cfi_read_pointer(struct byte_cursor *cursor, const struct cfi_bytes *section, uint8_t encoding,
			  const struct cfi_pointer_bases *bases, bool skip);

#endif
