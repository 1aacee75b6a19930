/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How the fuzz targets of the unwinder read their input: a byte of choices (bit 0: aarch64, bit 1:
 * with .eh_frame_hdr), three 16-bit sizes, then .eh_frame_hdr, .eh_frame, .debug_frame, and the
 * rest. The module is linked at 0x1000, its sections follow each other after 64 KiB of code. Each
 * section is copied, so that reads past its end are found.
 */
#pragma once

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/byte_cursor.h"
#include "common/unconst.h"
#include "report/resolve/unwind/cfi_section.h"

enum { FUZZ_LINK_ADDRESS = 0x1000, FUZZ_CODE_BYTES = 0x10000 };

struct fuzz_input {
	struct cfi_source source;
	struct byte_cursor rest;
};

static inline void fuzz_require(int condition)
{
	if (!condition)
		abort();
}

static inline struct cfi_bytes fuzz_section(struct byte_cursor *cursor, size_t size, uint64_t *address)
{
	struct cfi_bytes section = {.address = *address};
	uint8_t *copy;

	if (size > byte_cursor_left(cursor))
		size = byte_cursor_left(cursor);
	copy = malloc(size ? size : 1);
	fuzz_require(copy != NULL);
	memcpy(copy, cursor->next, size);
	(void)byte_cursor_bytes(cursor, size);
	section.bytes = copy;
	section.size = size;
	*address += size;
	return section;
}

static inline struct fuzz_input fuzz_input_read(const uint8_t *bytes, size_t length)
{
	struct byte_cursor cursor = byte_cursor_make(bytes, length);
	uint8_t choices = byte_cursor_u8(&cursor);
	size_t header = byte_cursor_u16(&cursor), frames = byte_cursor_u16(&cursor), debug = byte_cursor_u16(&cursor);
	uint64_t address = FUZZ_LINK_ADDRESS + FUZZ_CODE_BYTES;
	struct fuzz_input input = {.source = {.arch = unwind_arch_find(choices & 1 ? EM_AARCH64 : EM_X86_64)}};

	if (cursor.bad)
		cursor = byte_cursor_make(bytes, 0);
	input.source.eh_frame_hdr = fuzz_section(&cursor, header, &address);
	if (!(choices & 2))
		input.source.eh_frame_hdr.size = 0;
	input.source.eh_frame = fuzz_section(&cursor, frames, &address);
	input.source.debug_frame = fuzz_section(&cursor, debug, &address);
	input.source.text_address = FUZZ_LINK_ADDRESS;
	input.source.data_address = choices & 4 ? address : 0;
	input.source.signal_trampoline = choices & 8 ? FUZZ_LINK_ADDRESS + FUZZ_CODE_BYTES / 2 : 0;
	input.rest = cursor;
	return input;
}

static inline void fuzz_input_free(struct fuzz_input *input)
{
	free(unconst(input->source.eh_frame_hdr.bytes));
	free(unconst(input->source.eh_frame.bytes));
	free(unconst(input->source.debug_frame.bytes));
}
