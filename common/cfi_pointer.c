/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/cfi_pointer.h"

int64_t cfi_read_signed(struct byte_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		uint8_t byte = byte_cursor_u8(cursor);

		if (cursor->bad)
			return 0;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			value |= UINT64_MAX << (shift + 7);
		return (int64_t)value;
	}
	cursor->bad = true;
	return 0;
}

static uint64_t read_raw(struct byte_cursor *cursor, uint8_t encoding)
{
	switch (encoding & POINTER_FORMAT) {
	case POINTER_ABSOLUTE:
	case POINTER_U64:
	case POINTER_S64:
		return byte_cursor_u64(cursor);
	case POINTER_U32:
		return byte_cursor_u32(cursor);
	case POINTER_S32:
		return (uint64_t)(int64_t)(int32_t)byte_cursor_u32(cursor);
	case POINTER_U16:
		return byte_cursor_u16(cursor);
	case POINTER_S16:
		return (uint64_t)(int64_t)(int16_t)byte_cursor_u16(cursor);
	case POINTER_ULEB:
		return byte_cursor_varint(cursor);
	case POINTER_SLEB:
		return (uint64_t)cfi_read_signed(cursor);
	default:
		cursor->bad = true;
		return 0;
	}
}

/* To the next address that is a multiple of 8, where an aligned pointer stands. */
static void align(struct byte_cursor *cursor, const struct cfi_bytes *section)
{
	uint64_t address = section->address + (uint64_t)(cursor->next - section->bytes);

	(void)byte_cursor_bytes(cursor, (size_t)(-address & 7));
}

static bool find_base(const struct cfi_pointer_bases *bases, uint8_t encoding, uint64_t position, uint64_t *ret_base)
{
	switch (encoding & POINTER_BASE) {
	case POINTER_ABSOLUTE:
	case POINTER_ALIGNED:
		*ret_base = 0;
		return true;
	case POINTER_PC_RELATIVE:
		*ret_base = position;
		return true;
	case POINTER_TEXT_RELATIVE:
		*ret_base = bases->text;
		return bases->text;
	case POINTER_DATA_RELATIVE:
		*ret_base = bases->data;
		return bases->data;
	case POINTER_FUNCTION_RELATIVE:
		*ret_base = bases->function;
		return true;
	default:
		return false;
	}
}

uint64_t cfi_read_pointer(struct byte_cursor *cursor, const struct cfi_bytes *section, uint8_t encoding,
			  const struct cfi_pointer_bases *bases, bool skip)
{
	uint64_t position, raw, base = 0;

	if (cursor->bad || encoding == POINTER_OMITTED)
		return 0;
	if ((encoding & POINTER_BASE) == POINTER_ALIGNED)
		align(cursor, section);
	if (cursor->bad)
		return 0;
	position = section->address + (uint64_t)(cursor->next - section->bytes);
	raw = read_raw(cursor, encoding);
	if (skip || cursor->bad || !raw)
		return skip ? 0 : raw;
	if (encoding & POINTER_INDIRECT || !find_base(bases, encoding, position, &base)) {
		cursor->bad = true;
		return 0;
	}
	return base + raw;
}
