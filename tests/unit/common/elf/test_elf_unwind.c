/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* This program's own call frame information: as readelf finds it, and again after its section headers are gone. */
#include "common/elf/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/test.h"

static int open_own(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static int copy_without_sections(int from)
{
	int fd = memfd_create("stripped", MFD_CLOEXEC);
	char buffer[65536];
	Elf64_Ehdr header;
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(fd, buffer, (size_t)n) != n)
			return -1;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return -1;
	header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
	return pwrite(fd, &header, sizeof(header), 0) == sizeof(header) ? fd : -1;
}

static void finds_them_without_section_headers(struct test *t)
{
	_cleanup_close_ int fd = open_own(), stripped = copy_without_sections(fd);
	struct elf_unwind unwind, other;
	struct elf_file *elf, *bare;

	REQUIRE(t, stripped >= 0 && !elf_file_create(fd, &elf) && !elf_file_create(stripped, &bare));
	REQUIRE(t, !elf_file_unwind(elf, &unwind) && !elf_file_unwind(bare, &other));
	CHECK_INT(t, other.eh_frame_hdr.address, unwind.eh_frame_hdr.address);
	CHECK_INT(t, other.eh_frame_hdr.size, unwind.eh_frame_hdr.size);
	CHECK_INT(t, other.eh_frame.address, unwind.eh_frame.address);
	REQUIRE(t, other.eh_frame.size >= unwind.eh_frame.size); /* to the end of the segment */
	CHECK_MEM(t, other.eh_frame.bytes, unwind.eh_frame.bytes, unwind.eh_frame.size);
	elf_unwind_deinit(&unwind);
	elf_unwind_deinit(&other);
	elf_file_destroy(elf);
	elf_file_destroy(bare);
}

TEST_MAIN(TEST(finds_them_without_section_headers))
