/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cfi_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/resolve/unpack_section.h"

enum { UNPACKED_MAX_BYTES = 256 << 20 };

/* 0 or -ENOMEM. What is compressed and cannot be unpacked is left out. */
static int unpack(struct elf_section_bytes *section, bool *left_out)
{
	uint8_t *bytes;
	size_t size;
	int r;

	if (!section->compressed)
		return 0;
	r = unpack_section(section->bytes, section->size, UNPACKED_MAX_BYTES, &bytes, &size);
	free(section->bytes);
	if (r < 0)
		*section = (struct elf_section_bytes){0};
	else
		*section = (struct elf_section_bytes){.bytes = bytes, .size = size, .address = section->address};
	*left_out |= r < 0;
	return r == -ENOMEM ? r : 0;
}

static int add_debug_file(const struct elf_file *debug, struct elf_unwind *unwind)
{
	struct elf_unwind separate;
	int r = elf_file_unwind(debug, &separate);

	if (r < 0)
		return r;
	if (!unwind->debug_frame.bytes) {
		unwind->debug_frame = separate.debug_frame;
		separate.debug_frame = (struct elf_section_bytes){0};
	}
	elf_unwind_deinit(&separate);
	return 0;
}

static struct cfi_bytes as_cfi_bytes(const struct elf_section_bytes *bytes)
{
	return (struct cfi_bytes){.bytes = bytes->bytes, .size = bytes->size, .address = bytes->address};
}

/* Where code begins: what textrel pointers count from. */
static uint64_t text_address(const struct elf_file *elf)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(elf, &segments);

	for (size_t i = 0; i < count; i++)
		if (segments[i].flags & PF_X)
			return segments[i].address;
	return 0;
}

int cfi_file_open(const struct elf_file *elf, const struct elf_file *debug, uint64_t signal_trampoline,
		  struct cfi_file *ret_file)
{
	const struct unwind_arch *arch = unwind_arch_find(elf_file_machine(elf));
	_cleanup_(elf_unwind_deinit) struct elf_unwind unwind = {0};
	struct cfi_section *section;
	bool left_out = false;
	int r = arch ? elf_file_unwind(elf, &unwind) : -ENOTSUP;

	if (!r)
		r = unpack(&unwind.debug_frame, &left_out);
	if (!r && debug)
		r = add_debug_file(debug, &unwind);
	if (!r)
		r = unpack(&unwind.debug_frame, &left_out);
	if (!r)
		r = cfi_section_create(
			&(struct cfi_source){
				.arch = arch,
				.eh_frame = as_cfi_bytes(&unwind.eh_frame),
				.eh_frame_hdr = as_cfi_bytes(&unwind.eh_frame_hdr),
				.debug_frame = as_cfi_bytes(&unwind.debug_frame),
				.text_address = text_address(elf),
				.signal_trampoline = signal_trampoline,
			},
			&section);
	if (r < 0)
		return r;
	*ret_file = (struct cfi_file){.bytes = unwind, .section = section, .left_out = left_out};
	unwind = (struct elf_unwind){0};
	return 0;
}

void cfi_file_close(struct cfi_file *file)
{
	cfi_section_destroy(file->section);
	elf_unwind_deinit(&file->bytes);
	file->section = NULL;
}
