/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/cfi_pointer.h"

#include <dwarf.h>

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
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return byte_cursor_u64(cursor);
	case DW_EH_PE_udata4:
		return byte_cursor_u32(cursor);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int64_t)(int32_t)byte_cursor_u32(cursor);
	case DW_EH_PE_udata2:
		return byte_cursor_u16(cursor);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int64_t)(int16_t)byte_cursor_u16(cursor);
	case DW_EH_PE_uleb128:
		return byte_cursor_varint(cursor);
	case DW_EH_PE_sleb128:
		return (uint64_t)cfi_read_signed(cursor);
	default:
		cursor->bad = true;
		return 0;
	}
}

/* Advances to the next address that is a multiple of 8, for an aligned pointer. */
static void align(struct byte_cursor *cursor, const struct cfi_bytes *section)
{
	uint64_t address = section->address + (uint64_t)(cursor->next - section->bytes);

	(void)byte_cursor_bytes(cursor, (size_t)(-address & 7));
}

static bool find_base(const struct cfi_pointer_bases *bases, uint8_t encoding, uint64_t position, uint64_t *ret_base)
{
	switch (encoding & POINTER_BASE) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_aligned:
		*ret_base = 0;
		return true;
	case DW_EH_PE_pcrel:
		*ret_base = position;
		return true;
	case DW_EH_PE_textrel:
		*ret_base = bases->text;
		return bases->text;
	case DW_EH_PE_datarel:
		*ret_base = bases->data;
		return bases->data;
	case DW_EH_PE_funcrel:
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

	if (cursor->bad || encoding == DW_EH_PE_omit)
		return 0;
	if ((encoding & POINTER_BASE) == DW_EH_PE_aligned)
		align(cursor, section);
	if (cursor->bad)
		return 0;
	position = section->address + (uint64_t)(cursor->next - section->bytes);
	raw = read_raw(cursor, encoding);
	if (skip || cursor->bad || !raw)
		return skip ? 0 : raw;
	if (encoding & DW_EH_PE_indirect || !find_base(bases, encoding, position, &base)) {
		cursor->bad = true;
		return 0;
	}
	return base + raw;
}
