/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unpack_sections.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/resolve/unpack.h"

enum { NAMES_MAX = 16 << 20, ALIGNMENT = 16 };

struct unpacker {
	int fd;
	uint64_t file_size;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	char *names; /* names_size bytes and a NUL */
	size_t names_size;
	uint64_t expanded, image_size; /* of compressed sections; of all that the image keeps */
	bool any_debug, any_zstd, any_packed_unread;
	uint8_t *image;
	uint64_t room; /* in it, before its section headers */
};

/* All of [offset, offset + length). */
static int read_at(const struct unpacker *unpacker, uint64_t offset, uint64_t length, void *out)
{
	uint8_t *to = out;

	if (offset > unpacker->file_size || length > unpacker->file_size - offset)
		return -EBADMSG;
	while (length) {
		ssize_t n = pread(unpacker->fd, to, length, (off_t)offset);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EBADMSG;
		if (n > 0) {
			to += n;
			offset += (uint64_t)n;
			length -= (uint64_t)n;
		}
	}
	return 0;
}

static int read_names(struct unpacker *unpacker)
{
	const Elf64_Shdr *section;

	if (unpacker->header.e_shstrndx >= unpacker->header.e_shnum)
		return -EBADMSG;
	section = &unpacker->sections[unpacker->header.e_shstrndx];
	if (section->sh_type != SHT_STRTAB || section->sh_size > NAMES_MAX)
		return -EBADMSG;
	unpacker->names_size = section->sh_size;
	unpacker->names = calloc(section->sh_size + 1, 1);
	if (!unpacker->names)
		return -ENOMEM;
	return read_at(unpacker, section->sh_offset, section->sh_size, unpacker->names);
}

static int read_headers(struct unpacker *unpacker)
{
	Elf64_Ehdr *header = &unpacker->header;
	struct stat status;
	int r;

	if (fstat(unpacker->fd, &status) < 0)
		return -errno;
	unpacker->file_size = (uint64_t)status.st_size;
	r = read_at(unpacker, 0, sizeof(*header), header);
	if (r < 0)
		return r;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELFDATA2LSB)
		return -EBADMSG;
	/* More than 65279 sections are counted elsewhere; no file that is not relocatable has so many. */
	if (!header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr))
		return -ENODATA;
	unpacker->sections = calloc(header->e_shnum, sizeof(*unpacker->sections));
	if (!unpacker->sections)
		return -ENOMEM;
	r = read_at(unpacker, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), unpacker->sections);
	return r < 0 ? r : read_names(unpacker);
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static const char *name_of(const struct unpacker *unpacker, const Elf64_Shdr *section)
{
	return section->sh_name < unpacker->names_size ? unpacker->names + section->sh_name : "";
}

static bool is_debug(const struct unpacker *unpacker, const Elf64_Shdr *section)
{
	const char *name = name_of(unpacker, section);

	return section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL &&
	       (begins(name, ".debug_") || begins(name, ".zdebug_") || begins(name, ".gnu_debugaltlink"));
}

/* Names and lines need nothing of these, which libdw would unpack all the same. */
static bool is_unread(const struct unpacker *unpacker, const Elf64_Shdr *section)
{
	static const char *const unread[] = {"loc", "loclists", "frame", "macro", "macinfo", "pubnames",
					     "pubtypes", "gnu_pubnames", "gnu_pubtypes", "names"};
	const char *name = strchr(name_of(unpacker, section), '_');

	for (size_t i = 0; name && i < sizeof(unread) / sizeof(unread[0]); i++)
		if (!strcmp(name + 1, unread[i]))
			return true;
	return false;
}

static bool is_packed(const struct unpacker *unpacker, const Elf64_Shdr *section)
{
	return (section->sh_flags & SHF_COMPRESSED) || begins(name_of(unpacker, section), ".zdebug_");
}

/* The image has the names of sections, too. */
static bool is_kept(const struct unpacker *unpacker, size_t number)
{
	const Elf64_Shdr *section = &unpacker->sections[number];

	return number == unpacker->header.e_shstrndx || (is_debug(unpacker, section) && !is_unread(unpacker, section));
}

static int read_compression(const struct unpacker *unpacker, const Elf64_Shdr *section, Elf64_Chdr *ret_header)
{
	if (section->sh_size < sizeof(*ret_header))
		return -EBADMSG;
	return read_at(unpacker, section->sh_offset, sizeof(*ret_header), ret_header);
}

/* ".zdebug_info": "ZLIB" and its size in big-endian. */
static int old_size(const struct unpacker *unpacker, const Elf64_Shdr *section, uint64_t *ret_size)
{
	uint8_t bytes[12];
	int r = section->sh_size < sizeof(bytes) ? -EBADMSG : read_at(unpacker, section->sh_offset, sizeof(bytes), bytes);
	uint64_t size = 0;

	if (r < 0)
		return r;
	for (size_t i = 4; i < sizeof(bytes); i++)
		size = size << 8 | bytes[i];
	*ret_size = size;
	return 0;
}

/* What a section takes in an image, and what it expands to. */
static int measure(struct unpacker *unpacker, size_t number)
{
	const Elf64_Shdr *section = &unpacker->sections[number];
	uint64_t size = section->sh_size, expanded = 0;
	Elf64_Chdr header;
	int r = 0;

	if (section->sh_offset > unpacker->file_size || size > unpacker->file_size - section->sh_offset)
		return -EBADMSG;
	if (section->sh_flags & SHF_COMPRESSED) {
		r = read_compression(unpacker, section, &header);
		if (r < 0)
			return r;
		expanded = header.ch_size;
		if (header.ch_type == UNPACK_ELF_ZSTD) {
			unpacker->any_zstd = true;
			size = expanded;
		}
	} else if (begins(name_of(unpacker, section), ".zdebug_")) {
		r = old_size(unpacker, section, &expanded);
	}
	if (r < 0 || __builtin_add_overflow(unpacker->expanded, expanded, &unpacker->expanded) ||
	    unpacker->expanded > UNPACK_SECTIONS_MAX)
		return r < 0 ? r : -E2BIG;
	return __builtin_add_overflow(unpacker->image_size, size + ALIGNMENT, &unpacker->image_size) ? -E2BIG : 0;
}

static int measure_all(struct unpacker *unpacker)
{
	int r = 0;

	for (size_t i = 0; i < unpacker->header.e_shnum && r == 0; i++) {
		const Elf64_Shdr *section = &unpacker->sections[i];

		if (is_debug(unpacker, section) && is_unread(unpacker, section))
			unpacker->any_packed_unread |= is_packed(unpacker, section);
		if (!is_kept(unpacker, i))
			continue;
		unpacker->any_debug |= i != unpacker->header.e_shstrndx;
		r = measure(unpacker, i);
	}
	return r;
}

static int expand(const struct unpacker *unpacker, const Elf64_Shdr *section, uint8_t *out, uint64_t size)
{
	uint64_t packed = section->sh_size - sizeof(Elf64_Chdr);
	_cleanup_free_ uint8_t *bytes = malloc(packed + 1);
	int r = bytes ? read_at(unpacker, section->sh_offset + sizeof(Elf64_Chdr), packed, bytes) : -ENOMEM;

	return r < 0 ? r : unpack_zstd_into(bytes, packed, out, size);
}

/* Puts a section's bytes at `at` of the image; its header becomes that of what is there. */
static int place(struct unpacker *unpacker, Elf64_Shdr *section, uint64_t *at)
{
	Elf64_Shdr placed = *section;
	Elf64_Chdr header = {0};
	int r = 0;

	if (section->sh_flags & SHF_COMPRESSED)
		r = read_compression(unpacker, section, &header);
	if (header.ch_type == UNPACK_ELF_ZSTD) {
		placed.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
		placed.sh_size = header.ch_size;
		placed.sh_addralign = 1;
	}
	/* The file may have changed since it was measured. */
	if (r < 0 || *at > unpacker->room || placed.sh_size > unpacker->room - *at)
		return r < 0 ? r : -EBADMSG;
	if (header.ch_type == UNPACK_ELF_ZSTD)
		r = expand(unpacker, section, unpacker->image + *at, placed.sh_size);
	else
		r = read_at(unpacker, section->sh_offset, section->sh_size, unpacker->image + *at);
	placed.sh_offset = *at;
	*at += (placed.sh_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	*section = placed;
	return r;
}

static int fill_image(struct unpacker *unpacker)
{
	uint64_t at = (sizeof(unpacker->header) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	Elf64_Ehdr header = unpacker->header;
	int r = 0;

	for (size_t i = 0; i < header.e_shnum && r == 0; i++) {
		Elf64_Shdr *section = &unpacker->sections[i];

		if (is_kept(unpacker, i)) {
			r = place(unpacker, section, &at);
		} else if (section->sh_type != SHT_NULL) {
			section->sh_type = SHT_NOBITS;
			section->sh_offset = 0;
		}
	}
	if (r < 0 || at > unpacker->room)
		return r < 0 ? r : -EBADMSG;
	header.e_phoff = header.e_phnum = 0;
	header.e_shoff = at;
	memcpy(unpacker->image, &header, sizeof(header));
	memcpy(unpacker->image + at, unpacker->sections, header.e_shnum * sizeof(Elf64_Shdr));
	return 0;
}

static int make_image(struct unpacker *unpacker, size_t *ret_size)
{
	uint64_t headers = (uint64_t)unpacker->header.e_shnum * sizeof(Elf64_Shdr), size;

	if (__builtin_add_overflow(unpacker->image_size, sizeof(Elf64_Ehdr) + ALIGNMENT, &unpacker->room) ||
	    __builtin_add_overflow(unpacker->room, headers, &size) || size > 2 * (uint64_t)UNPACK_SECTIONS_MAX)
		return -E2BIG;
	unpacker->image = calloc(size, 1);
	if (!unpacker->image)
		return -ENOMEM;
	*ret_size = size;
	return fill_image(unpacker);
}

bool unpack_sections_has_dwarf(int fd)
{
	struct unpacker unpacker = {.fd = fd};
	bool found = false;
	int r = read_headers(&unpacker);

	for (size_t i = 0; r == 0 && i < unpacker.header.e_shnum && !found; i++) {
		const char *name = is_debug(&unpacker, &unpacker.sections[i]) ? name_of(&unpacker, &unpacker.sections[i]) : "";

		found = !strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info");
	}
	free(unpacker.sections);
	free(unpacker.names);
	return found;
}

int unpack_sections(int fd, uint8_t **ret_image, size_t *ret_size)
{
	struct unpacker unpacker = {.fd = fd};
	size_t size = 0;
	int r = read_headers(&unpacker);

	if (r == 0)
		r = measure_all(&unpacker);
	if (r == 0 && !unpacker.any_debug)
		r = -ENODATA;
	if (r == 0 && (unpacker.any_zstd || unpacker.any_packed_unread))
		r = make_image(&unpacker, &size);
	free(unpacker.sections);
	free(unpacker.names);
	if (r < 0) {
		free(unpacker.image);
		return r;
	}
	*ret_image = unpacker.image;
	*ret_size = size;
	return 0;
}
