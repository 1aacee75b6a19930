/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unwind/cfi_file.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"

enum { UNPACKED_MAX_BYTES = 256 << 20 };

/* Leaves out a .debug_frame that cannot be unpacked. 0 or -ENOMEM. */
static int unpack(struct cfi_file *file)
{
	struct elf_section_bytes *section = &file->bytes.debug_frame;
	int r = section->compressed ? elf_section_unpack(section, UNPACKED_MAX_BYTES) : 0;

	if (r < 0) {
		free(section->bytes);
		*section = (struct elf_section_bytes){0};
	}
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

int cfi_file_index(struct cfi_file *file, struct cfi_source source)
{
	source.eh_frame = as_cfi_bytes(&file->bytes.eh_frame);
	source.eh_frame_hdr = as_cfi_bytes(&file->bytes.eh_frame_hdr);
	source.debug_frame = as_cfi_bytes(&file->bytes.debug_frame);
	return cfi_section_create(&source, &file->section);
}

int cfi_file_open(const struct elf_file *elf, const struct elf_file *debug, uint64_t signal_trampoline,
		  struct cfi_file *ret_file)
{
	const struct cfi_source source = {.arch = unwind_arch_find(elf_file_machine(elf)),
					  .text_address = elf_file_text_address(elf),
					  .signal_trampoline = signal_trampoline};
	_cleanup_(cfi_file_close) struct cfi_file file = {0};
	int r = source.arch ? elf_file_unwind(elf, &file.bytes) : -ENOTSUP;

	if (!r)
		r = unpack(&file);
	if (!r && debug)
		r = add_debug_file(debug, &file.bytes);
	if (!r)
		r = unpack(&file);
	if (!r)
		r = cfi_file_index(&file, source);
	if (r < 0)
		return r;
	*ret_file = file;
	file = (struct cfi_file){0};
	return 0;
}

void cfi_file_close(struct cfi_file *file)
{
	cfi_section_destroy(file->section);
	elf_unwind_deinit(&file->bytes);
	file->section = NULL;
}

/* FDEs that start at 0 belong to code that the linker dropped. */
bool cfi_file_function(const struct cfi_file *file, uint64_t address, struct cfi_function *ret_function)
{
	static const enum cfi_kind kinds[] = {CFI_EH_FRAME, CFI_DEBUG_FRAME};

	for (size_t i = 0; file->section && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct cfi_fde fde;
		uint32_t number;

		if (!cfi_section_find(file->section, kinds[i], address, &number) ||
		    cfi_section_fde(file->section, number, &fde) < 0 || !fde.start ||
		    address < fde.start || address >= fde.end)
			continue;
		*ret_function = (struct cfi_function){fde.start, fde.end};
		return true;
	}
	return false;
}
