/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/debug_image.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/resolve/unpack.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum { BLOCK = 1 << 20 };

struct image {
	int fd; /* of the file */
	uint64_t file_size;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	struct unpacked copy;
	uint64_t packed_left; /* sections do not overlap: together they are no larger than the file */
};

static int read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EBADMSG;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Files with more sections than the header can count have no use for this. */
static int read_sections(struct image *image)
{
	uint64_t size = (uint64_t)image->header.e_shnum * sizeof(*image->sections);

	if (!image->header.e_shnum || image->header.e_shentsize != sizeof(*image->sections) || size > image->file_size ||
	    image->header.e_shoff > image->file_size - size)
		return -ENOENT;
	image->sections = malloc(size);
	return image->sections ? read_at(image->fd, image->header.e_shoff, image->sections, size) : -ENOMEM;
}

/* 1: zstd packed it; its header is *ret_header. */
static int is_packed(const struct image *image, const Elf64_Shdr *section, Elf64_Chdr *ret_header)
{
	int r;

	if (!(section->sh_flags & SHF_COMPRESSED) || section->sh_type == SHT_NOBITS || section->sh_size < sizeof(*ret_header) ||
	    section->sh_size > image->file_size || section->sh_offset > image->file_size - section->sh_size)
		return 0;
	r = read_at(image->fd, section->sh_offset, ret_header, sizeof(*ret_header));
	return r < 0 ? r : ret_header->ch_type == ELFCOMPRESS_ZSTD;
}

static int find_packed(const struct image *image)
{
	Elf64_Chdr header;
	int r = 0;

	for (size_t i = 0; r == 0 && i < image->header.e_shnum; i++)
		r = is_packed(image, &image->sections[i], &header);
	return r;
}

/* --- the copy --- */

static int copy_file(struct image *image)
{
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	int r = block ? unpacked_open(&image->copy, DEBUG_IMAGE_MAX) : -ENOMEM;

	for (uint64_t at = 0; r == 0 && at < image->file_size; at += BLOCK) {
		size_t size = image->file_size - at < BLOCK ? (size_t)(image->file_size - at) : BLOCK;

		r = read_at(image->fd, at, block, size);
		if (r == 0)
			r = unpacked_add(&image->copy, block, size);
	}
	return r;
}

static int align_copy(struct image *image, uint64_t alignment)
{
	static const uint8_t zeros[64];
	uint64_t rest = image->copy.size % sizeof(zeros);

	if (alignment > sizeof(zeros))
		return -EBADMSG;
	return rest ? unpacked_add(&image->copy, zeros, sizeof(zeros) - rest) : 0;
}

/* Behind everything, where its header then points. */
static int unpack_section(struct image *image, Elf64_Shdr *section, const Elf64_Chdr *header)
{
	size_t size = section->sh_size - sizeof(*header);
	_cleanup_free_ uint8_t *bytes = malloc(size ? size : 1);
	uint64_t start;
	int r = bytes ? align_copy(image, header->ch_addralign) : -ENOMEM;

	start = image->copy.size;
	if (r == 0 && size > image->packed_left)
		r = -EBADMSG;
	if (r == 0 && header->ch_size > image->copy.most - start)
		r = -E2BIG;
	if (r == 0)
		r = read_at(image->fd, section->sh_offset + sizeof(*header), bytes, size);
	if (r == 0)
		r = unpack_zstd_to(bytes, size, &image->copy);
	if (r < 0)
		return r;
	image->packed_left -= size;
	if (image->copy.size - start != header->ch_size)
		return -EBADMSG;
	section->sh_offset = start;
	section->sh_size = header->ch_size;
	section->sh_addralign = header->ch_addralign;
	section->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	return 0;
}

static int unpack_sections(struct image *image)
{
	size_t size = image->header.e_shnum * sizeof(*image->sections);
	int r = 0;

	for (size_t i = 0; r >= 0 && i < image->header.e_shnum; i++) {
		Elf64_Chdr header;

		r = is_packed(image, &image->sections[i], &header);
		if (r > 0)
			r = unpack_section(image, &image->sections[i], &header);
	}
	if (r < 0)
		return r;
	return pwrite(image->copy.fd, image->sections, size, (off_t)image->header.e_shoff) == (ssize_t)size ? 1 : -EIO;
}

int debug_image_open(int fd, int *ret_fd)
{
	struct image image = {.fd = fd, .copy.fd = -1};
	struct stat status;
	int r;

	if (fstat(fd, &status) < 0)
		return -errno;
	image.file_size = image.packed_left = (uint64_t)status.st_size;
	r = image.file_size < sizeof(image.header) ? -ENOENT : read_at(fd, 0, &image.header, sizeof(image.header));
	if (r == 0)
		r = read_sections(&image);
	if (r == 0)
		r = find_packed(&image);
	if (r > 0)
		r = copy_file(&image);
	else if (r == 0)
		r = -ENOENT;
	if (r == 0)
		r = unpack_sections(&image);
	free(image.sections);
	if (r > 0)
		*ret_fd = image.copy.fd;
	else if (image.copy.fd >= 0)
		(void)close(image.copy.fd);
	return r == -ENOENT ? 0 : r;
}
