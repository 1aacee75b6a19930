/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/elf/elf_file.h"
#include "common/elf/elf_go.h"
#include "common/elf/elf_internal.h"

enum { HEADER_POINTER = 0x1b, HEADER_POINTER_OFFSET = 4 };

static int read_range(const struct elf_file *file, uint64_t offset, uint64_t size, uint64_t address,
		      struct elf_section_bytes *ret_bytes)
{
	void *bytes;
	int r;

	if (size > ELF_MAX_SECTION_BYTES)
		return -E2BIG;
	r = elf_file_read_table(file, offset, size, 1, &bytes);
	if (r < 0)
		return r;
	*ret_bytes = (struct elf_section_bytes){.bytes = bytes, .size = size, .address = address};
	return 0;
}

/* --- by section headers --- */

struct wanted_section {
	const char *name;
	struct elf_section_bytes *bytes;
	bool old_packing; /* "ZLIB", the size in 8 bytes, and zlib's stream */
};

/*
 * A section compressed in the format from before SHF_COMPRESSED gets today's header, so that
 * nothing else has to know.
 */
static int modernize(struct elf_section_bytes *section)
{
	enum { MAGIC = 4, OLD_HEADER = 12 };
	Elf64_Chdr header = {.ch_type = ELFCOMPRESS_ZLIB, .ch_addralign = 1};
	uint64_t size;
	uint8_t *bytes;

	if (section->size < OLD_HEADER || memcmp(section->bytes, "ZLIB", MAGIC) != 0)
		return 0; /* not compressed, whatever its name says */
	memcpy(&size, section->bytes + MAGIC, sizeof(size));
	header.ch_size = __builtin_bswap64(size);
	bytes = malloc(sizeof(header) + section->size - OLD_HEADER);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), section->bytes + OLD_HEADER, section->size - OLD_HEADER);
	free(section->bytes);
	section->bytes = bytes;
	section->size += sizeof(header) - OLD_HEADER;
	section->compressed = true;
	return 0;
}

static int read_section(const struct elf_file *file, const Elf64_Shdr *section, const struct wanted_section *wanted)
{
	struct elf_section_bytes *ret_bytes = wanted->bytes;
	int r;

	if (ret_bytes->bytes || section->sh_type == SHT_NOBITS || !section->sh_size)
		return 0;
	r = read_range(file, section->sh_offset, section->sh_size, section->sh_addr, ret_bytes);
	if (!r)
		ret_bytes->compressed = section->sh_flags & SHF_COMPRESSED;
	return !r && wanted->old_packing && !ret_bytes->compressed ? modernize(ret_bytes) : r;
}

static int read_by_sections(const struct elf_file *file, struct elf_unwind *unwind)
{
	const struct wanted_section wanted[] = {
		{".eh_frame", &unwind->eh_frame, false},
		{".eh_frame_hdr", &unwind->eh_frame_hdr, false},
		{".debug_frame", &unwind->debug_frame, false},
		{".zdebug_frame", &unwind->debug_frame, true},
	};
	_cleanup_free_ char *names = NULL;
	size_t names_size;
	int r = elf_file_section_names(file, &names, &names_size);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < file->section_count; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		for (size_t w = 0; w < sizeof(wanted) / sizeof(*wanted); w++) {
			if (section->sh_name >= names_size || strcmp(names + section->sh_name, wanted[w].name) ||
			    (file->narrow && wanted[w].bytes == &unwind->debug_frame))
				continue; /* addresses of 4 bytes */
			r = read_section(file, section, &wanted[w]);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* --- by program headers, if there are no sections --- */

static const struct elf_segment *segment_of(const struct elf_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (address >= segment->address && address - segment->address < segment->file_size)
			return segment;
	}
	return NULL;
}

/* .eh_frame is where its header points; its size is unknown, so it is assumed to extend to the end of the segment. */
static int read_by_segments(const struct elf_file *file, struct elf_unwind *unwind)
{
	const struct elf_segment *segment;
	struct byte_cursor cursor;
	uint64_t address, skip;
	const Elf64_Phdr header = file->eh_frame_hdr;
	int r;

	if (!header.p_type)
		return 0;
	r = read_range(file, header.p_offset, header.p_filesz, header.p_vaddr, &unwind->eh_frame_hdr);
	if (r < 0)
		return r;
	cursor = byte_cursor_make(unwind->eh_frame_hdr.bytes, unwind->eh_frame_hdr.size);
	if ((byte_cursor_u32(&cursor) >> 8 & 0xff) != HEADER_POINTER) /* pcrel, sdata4 */
		return 0;
	address = header.p_vaddr + HEADER_POINTER_OFFSET + (uint64_t)(int64_t)(int32_t)byte_cursor_u32(&cursor);
	segment = cursor.bad ? NULL : segment_of(file, address);
	if (!segment)
		return 0;
	skip = address - segment->address;
	return read_range(file, segment->file_offset + skip, segment->file_size - skip, address, &unwind->eh_frame);
}

int elf_file_unwind(const struct elf_file *file, struct elf_unwind *ret_unwind)
{
	struct elf_unwind unwind = {0};
	int r = read_by_sections(file, &unwind);

	if (!r && !unwind.eh_frame.bytes && !unwind.eh_frame_hdr.bytes)
		r = read_by_segments(file, &unwind);
	if (!r && !unwind.debug_frame.bytes && /* a stripped Go program has another table */
	    elf_file_go_frames(file, &unwind.debug_frame.bytes, &unwind.debug_frame.size) == -ENOMEM)
		r = -ENOMEM;
	if (r < 0) {
		elf_unwind_deinit(&unwind);
		return r;
	}
	*ret_unwind = unwind;
	return 0;
}

void elf_unwind_deinit(struct elf_unwind *unwind)
{
	free(unwind->eh_frame.bytes);
	free(unwind->eh_frame_hdr.bytes);
	free(unwind->debug_frame.bytes);
	*unwind = (struct elf_unwind){0};
}
