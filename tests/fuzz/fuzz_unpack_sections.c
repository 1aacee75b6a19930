/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Any bytes as an ELF file with compressed sections: the headers of its image are inside the image. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/resolve/file/unpack_sections.h"
#include "tests/fuzz/unwind_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_image(const uint8_t *image, size_t size)
{
	Elf64_Ehdr header;
	Elf64_Shdr section;

	fuzz_require(size >= sizeof(header));
	memcpy(&header, image, sizeof(header));
	fuzz_require(header.e_shoff <= size && header.e_shnum * sizeof(section) <= size - header.e_shoff);
	for (size_t i = 0; i < header.e_shnum; i++) {
		memcpy(&section, image + header.e_shoff + i * sizeof(section), sizeof(section));
		if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL)
			fuzz_require(section.sh_offset <= header.e_shoff &&
				     section.sh_size <= header.e_shoff - section.sh_offset);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint8_t *image = NULL;
	size_t size;

	if (fd < 0)
		return 0;
	if (write(fd, bytes, length) == (ssize_t)length) {
		(void)unpack_sections_has_dwarf(fd);
		if (unpack_sections(fd, &image, &size) == 0 && image)
			check_image(image, size);
	}
	free(image);
	(void)close(fd);
	return 0;
}
