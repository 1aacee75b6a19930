/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/vdso.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint8_t *image_own(void)
{
	return (const uint8_t *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
}

/* The image ends where its section header table does. */
int vdso_open(void)
{
	const uint8_t *image = image_own();
	Elf64_Ehdr header;
	size_t size;
	int fd;

	if (!image)
		return -1;
	memcpy(&header, image, sizeof(header));
	size = (size_t)header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, image, size) == (ssize_t)size)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

void vdso_build_id(struct build_id *ret_id)
{
	const uint8_t *image = image_own();
	Elf64_Ehdr header;

	*ret_id = (struct build_id){0};
	if (!image)
		return;
	memcpy(&header, image, sizeof(header));
	for (size_t i = 0; i < header.e_phnum && !ret_id->length; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, image + header.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_NOTE)
			elf_notes_build_id(image + segment.p_offset, segment.p_filesz, ret_id);
	}
}
