/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file/unpack_sections.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/pack/deflate.h"
#include "report/resolve/file/unpack.h"

enum { NAMES_MAX = 16 << 20, ALIGNMENT = 16, OLD_HEADER = 12 };

struct unpacker {
	int fd;
	uint64_t file_size;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	char *names; /* names_size bytes and a NUL */
	size_t names_size;
	uint64_t expanded, image_size; /* decompressed size of the compressed sections; size of all in the image */
	bool any_debug, any_packed;
	uint8_t *image;
	uint64_t room; /* bytes of the image before its section headers */
	uint8_t *packed; /* large enough for any section as it is in the file */
	uint64_t packed_size;
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
	/* The count is 0 if there are more than 65279 sections, which only relocatable files have. */
	if (!header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr))
		return -ENODATA;
	unpacker->sections = calloc(header->e_shnum, sizeof(*unpacker->sections));
	if (!unpacker->sections)
		return -ENOMEM;
	r = read_at(unpacker, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr),
		    unpacker->sections);
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

/* Not needed for names and lines, but libdw would decompress them anyway. */
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

/* The image includes the section names. */
static bool is_kept(const struct unpacker *unpacker, size_t number)
{
	const Elf64_Shdr *section = &unpacker->sections[number];

	return number == unpacker->header.e_shstrndx ||
	       (is_debug(unpacker, section) && !is_unread(unpacker, section));
}

typedef int unpack_into(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);

struct packing { /* how a section is compressed */
	unpack_into *unpack; /* NULL: not compressed, or unknown method */
	uint64_t header, expanded;
};

static int read_packing_header(const struct unpacker *unpacker, const Elf64_Shdr *section,
			       struct packing *packing)
{
	Elf64_Chdr header;
	int r = section->sh_size < sizeof(header) ?
		-EBADMSG : read_at(unpacker, section->sh_offset, sizeof(header), &header);

	if (r < 0)
		return r;
	packing->header = sizeof(header);
	packing->expanded = header.ch_size;
	packing->unpack = header.ch_type == ELFCOMPRESS_ZLIB  ? zlib_unpack :
			  header.ch_type == UNPACK_ELF_ZSTD ? unpack_zstd_into :
							      NULL;
	return 0;
}

/* ".zdebug_info": "ZLIB", then the decompressed size, big-endian. */
static int read_old_header(const struct unpacker *unpacker, const Elf64_Shdr *section,
			   struct packing *packing)
{
	uint8_t bytes[OLD_HEADER];
	int r = section->sh_size < sizeof(bytes) ?
		-EBADMSG : read_at(unpacker, section->sh_offset, sizeof(bytes), bytes);

	if (r < 0)
		return r;
	packing->header = sizeof(bytes);
	for (size_t i = 4; i < sizeof(bytes); i++)
		packing->expanded = packing->expanded << 8 | bytes[i];
	packing->unpack = !memcmp(bytes, "ZLIB", 4) ? zlib_unpack : NULL;
	return 0;
}

static int read_packing(const struct unpacker *unpacker, const Elf64_Shdr *section,
			struct packing *ret_packing)
{
	*ret_packing = (struct packing){0};
	if (!is_debug(unpacker, section) || !is_packed(unpacker, section))
		return 0;
	return section->sh_flags & SHF_COMPRESSED ? read_packing_header(unpacker, section, ret_packing) :
						    read_old_header(unpacker, section, ret_packing);
}

/*
 * Adds the section's size in the image, and its decompressed size. A section that cannot be
 * decompressed is put into the image as it is.
 */
static int measure(struct unpacker *unpacker, size_t number)
{
	const Elf64_Shdr *section = &unpacker->sections[number];
	uint64_t size = section->sh_size;
	struct packing packing;
	int r;

	if (section->sh_offset > unpacker->file_size || size > unpacker->file_size - section->sh_offset)
		return -EBADMSG;
	r = read_packing(unpacker, section, &packing);
	if (r < 0 || __builtin_add_overflow(unpacker->expanded, packing.expanded, &unpacker->expanded) ||
	    unpacker->expanded > UNPACK_SECTIONS_MAX)
		return r < 0 ? r : -E2BIG;
	if (packing.unpack && size > unpacker->packed_size)
		unpacker->packed_size = size;
	if (packing.unpack && packing.expanded > size)
		size = packing.expanded;
	return __builtin_add_overflow(unpacker->image_size, size + ALIGNMENT, &unpacker->image_size) ? -E2BIG : 0;
}

static int measure_all(struct unpacker *unpacker)
{
	int r = 0;

	for (size_t i = 0; i < unpacker->header.e_shnum && !r; i++) {
		const Elf64_Shdr *section = &unpacker->sections[i];

		unpacker->any_packed |= is_debug(unpacker, section) && is_packed(unpacker, section);
		if (!is_kept(unpacker, i))
			continue;
		unpacker->any_debug |= i != unpacker->header.e_shstrndx;
		r = measure(unpacker, i);
	}
	return r;
}

/* -EBADMSG: damaged; the bytes in the image are then invalid. */
static int expand(const struct unpacker *unpacker, const Elf64_Shdr *section,
		  const struct packing *packing, uint8_t *out)
{
	uint64_t packed = section->sh_size - packing->header;
	int r = read_at(unpacker, section->sh_offset + packing->header, packed, unpacker->packed);

	return r < 0 ? r : packing->unpack(unpacker->packed, packed, out, packing->expanded);
}

/*
 * The header of a section after decompression. ".zdebug_info" becomes ".debug_info": the name now
 * starts at its 'z', which rename_unpacked() replaces once all sections are in the image.
 */
static Elf64_Shdr unpacked_header(const Elf64_Shdr *section, const struct packing *packing)
{
	Elf64_Shdr header = *section;

	if (!(section->sh_flags & SHF_COMPRESSED))
		header.sh_name++;
	header.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	header.sh_size = packing->expanded;
	header.sh_addralign = 1;
	return header;
}

/*
 * Puts a section's bytes at offset `at` of the image and adapts its header. Damaged zlib data is
 * left to libdw, which can do without some sections.
 */
static int place(struct unpacker *unpacker, Elf64_Shdr *section, uint64_t *at)
{
	Elf64_Shdr placed = *section;
	struct packing packing;
	int r = read_packing(unpacker, section, &packing);

	if (packing.unpack)
		placed = unpacked_header(section, &packing);
	/* The file may have changed since it was measured. */
	if (r < 0 || *at > unpacker->room || placed.sh_size > unpacker->room - *at ||
	    (packing.unpack && section->sh_size > unpacker->packed_size))
		return r < 0 ? r : -EBADMSG;
	if (packing.unpack)
		r = expand(unpacker, section, &packing, unpacker->image + *at);
	if (packing.unpack == zlib_unpack && r == -EBADMSG) {
		placed = *section;
		packing.unpack = NULL;
		r = placed.sh_size > unpacker->room - *at ? -EBADMSG : 0;
	}
	if (!r && !packing.unpack)
		r = read_at(unpacker, section->sh_offset, section->sh_size, unpacker->image + *at);
	placed.sh_offset = *at;
	*at += (placed.sh_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	*section = placed;
	return r;
}

/* The names of decompressed old-style sections now start at their 'z': replaces it with a '.'. */
static void rename_unpacked(struct unpacker *unpacker)
{
	const Elf64_Shdr *names = &unpacker->sections[unpacker->header.e_shstrndx];

	for (size_t i = 0; i < unpacker->header.e_shnum; i++) {
		const Elf64_Shdr *section = &unpacker->sections[i];

		if (begins(name_of(unpacker, section), "zdebug_") && section->sh_name < names->sh_size)
			unpacker->image[names->sh_offset + section->sh_name] = '.';
	}
}

static int fill_image(struct unpacker *unpacker)
{
	uint64_t at = (sizeof(unpacker->header) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	Elf64_Ehdr header = unpacker->header;
	int r = 0;

	for (size_t i = 0; i < header.e_shnum && !r; i++) {
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
	rename_unpacked(unpacker);
	header.e_phoff = header.e_phnum = 0;
	header.e_shoff = at;
	memcpy(unpacker->image, &header, sizeof(header));
	memcpy(unpacker->image + at, unpacker->sections, header.e_shnum * sizeof(Elf64_Shdr));
	return 0;
}

/* Zeroed memory. It is filled from start to end, so huge pages save most page faults. */
static uint8_t *make_room(size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uint8_t *bytes = calloc(size + 1, 1);
	uintptr_t start = ((uintptr_t)bytes + page - 1) / page * page,
		  end = ((uintptr_t)bytes + size) / page * page;

	if (bytes && start < end)
		(void)madvise((void *)start, end - start, MADV_HUGEPAGE);
	return bytes;
}

static int make_image(struct unpacker *unpacker, size_t *ret_size)
{
	uint64_t headers = (uint64_t)unpacker->header.e_shnum * sizeof(Elf64_Shdr), size;

	if (__builtin_add_overflow(unpacker->image_size, sizeof(Elf64_Ehdr) + ALIGNMENT,
				   &unpacker->room) ||
	    __builtin_add_overflow(unpacker->room, headers, &size) ||
	    size > 2 * (uint64_t)UNPACK_SECTIONS_MAX)
		return -E2BIG;
	unpacker->image = make_room(size);
	unpacker->packed = make_room(unpacker->packed_size);
	if (!unpacker->image || !unpacker->packed)
		return -ENOMEM;
	*ret_size = size;
	return fill_image(unpacker);
}

bool unpack_sections_has_dwarf(int fd)
{
	struct unpacker unpacker = {.fd = fd};
	bool found = false;
	int r = read_headers(&unpacker);

	for (size_t i = 0; !r && i < unpacker.header.e_shnum && !found; i++) {
		const char *name = is_debug(&unpacker, &unpacker.sections[i]) ?
				   name_of(&unpacker, &unpacker.sections[i]) : "";

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

	if (!r)
		r = measure_all(&unpacker);
	if (!r && !unpacker.any_debug)
		r = -ENODATA;
	if (!r && unpacker.any_packed)
		r = make_image(&unpacker, &size);
	free(unpacker.packed);
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
