/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Call frame information written by hand: entries are appended to a run of bytes, byte by byte as
 * in DWARF 5 §6.4.1 and LSB §10.6.1. Sections are at CFI_AT, code anywhere.
 */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/elf/elf_cfi.h"

enum { CFI_AT = 0x40000 };

struct cfi_writer {
	ARRAY(uint8_t) bytes;
	size_t length_at; /* of the entry being written */
	size_t length_size;
};

static inline void cfi_put(struct cfi_writer *writer, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (array_push(&writer->bytes, ((const uint8_t *)bytes)[i]) < 0)
			abort();
}

static inline void cfi_put_uint(struct cfi_writer *writer, uint64_t value, size_t size)
{
	cfi_put(writer, &value, size); /* little-endian, as this machine is */
}

#define CFI_PUT(writer, ...)                                                                       \
	cfi_put((writer), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static inline void cfi_begin(struct cfi_writer *writer, bool wide)
{
	if (wide)
		cfi_put_uint(writer, 0xffffffff, 4);
	writer->length_at = writer->bytes.count;
	writer->length_size = wide ? 8 : 4;
	cfi_put_uint(writer, 0, writer->length_size);
}

static inline void cfi_end(struct cfi_writer *writer)
{
	uint64_t length;

	while (writer->bytes.count % 4)
		CFI_PUT(writer, 0);
	length = writer->bytes.count - writer->length_at - writer->length_size;
	memcpy(writer->bytes.items + writer->length_at, &length, writer->length_size);
}

/* A CIE of .eh_frame, "zR" with pcrel sdata4: code alignment 1, data alignment -8. Returns its offset. */
static inline size_t cfi_put_cie(struct cfi_writer *writer, uint8_t return_register, const void *program, size_t size)
{
	size_t at = writer->bytes.count;

	cfi_begin(writer, false);
	cfi_put_uint(writer, 0, 4);
	CFI_PUT(writer, 1, 'z', 'R', 0, 1, 0x78, return_register, 1, 0x1b);
	cfi_put(writer, program, size);
	cfi_end(writer);
	return at;
}

/* What precedes an FDE's instructions, for such a CIE; cfi_end() closes it. */
static inline void cfi_begin_fde(struct cfi_writer *writer, size_t cie, uint32_t start, uint32_t size)
{
	cfi_begin(writer, false);
	cfi_put_uint(writer, writer->bytes.count - cie, 4);
	cfi_put_uint(writer, start - (CFI_AT + (uint32_t)writer->bytes.count), 4);
	cfi_put_uint(writer, size, 4);
	CFI_PUT(writer, 0);
}

#define CFI_FDE(writer, cie, start, size, ...)                                                     \
	do {                                                                                       \
		cfi_begin_fde((writer), (cie), (start), (size));                                   \
		CFI_PUT((writer), __VA_ARGS__);                                                    \
		cfi_end(writer);                                                                   \
	} while (0)

static inline struct cfi_bytes cfi_written(const struct cfi_writer *writer)
{
	return (struct cfi_bytes){.bytes = writer->bytes.items, .size = writer->bytes.count, .address = CFI_AT};
}
