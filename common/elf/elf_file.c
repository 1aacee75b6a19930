/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/elf_internal.h"
#include "common/hash_map.h"

enum {
	NOTES_MAX_BYTES = 1 << 20,   /* of one run; build-ids come first */
	NOTES_MAX_RUNS = 64,	     /* most segments or sections checked */
};

struct build_id build_id_of(const void *bytes, size_t length)
{
	struct build_id id = {.length = (uint8_t)(length <= BUILD_ID_MAX ? length : 0)};

	if (id.length)
		memcpy(id.bytes, bytes, id.length);
	return id;
}

bool build_id_equal(const struct build_id *one, const struct build_id *other)
{
	return one->length == other->length && !memcmp(one->bytes, other->bytes, one->length);
}

int elf_file_read(const struct elf_file *file, uint64_t offset, uint64_t length, void *out)
{
	uint64_t end, done = 0;

	if (__builtin_add_overflow(offset, length, &end) || end > file->size)
		return -EBADMSG;
	while (done < length) {
		ssize_t n = pread(file->fd, (char *)out + done, length - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0) /* it shrank */
			return -EBADMSG;
		done += (uint64_t)n;
	}
	return 0;
}

int elf_file_read_table(const struct elf_file *file, uint64_t offset, size_t count, size_t size, void **ret_table)
{
	_cleanup_free_ void *table = NULL;
	size_t bytes;
	uint64_t end;
	int r;

	if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(offset, bytes, &end) ||
	    end > file->size)
		return -EBADMSG; /* before the allocation: a small file must not cost much memory */
	table = malloc(bytes ? bytes : 1);
	if (!table)
		return -ENOMEM;
	r = elf_file_read(file, offset, bytes, table);
	if (r < 0)
		return r;
	*ret_table = steal_ptr(table);
	return 0;
}

/* --- 32-bit files --- */

static void widen_header(Elf64_Ehdr *header)
{
	Elf32_Ehdr narrow;

	memcpy(&narrow, header, sizeof(narrow));
	*header = (Elf64_Ehdr){
		.e_type = narrow.e_type, .e_machine = narrow.e_machine, .e_entry = narrow.e_entry,
		.e_phoff = narrow.e_phoff, .e_shoff = narrow.e_shoff, .e_phentsize = narrow.e_phentsize,
		.e_phnum = narrow.e_phnum, .e_shentsize = narrow.e_shentsize, .e_shnum = narrow.e_shnum,
		.e_shstrndx = narrow.e_shstrndx,
	};
	memcpy(header->e_ident, narrow.e_ident, sizeof(header->e_ident));
}

static void widen_segment(const void *bytes, void *ret_header)
{
	const Elf32_Phdr *narrow = bytes;

	*(Elf64_Phdr *)ret_header = (Elf64_Phdr){
		.p_type = narrow->p_type, .p_flags = narrow->p_flags, .p_offset = narrow->p_offset,
		.p_vaddr = narrow->p_vaddr, .p_filesz = narrow->p_filesz, .p_memsz = narrow->p_memsz,
	};
}

static void widen_section(const void *bytes, void *ret_header)
{
	const Elf32_Shdr *narrow = bytes;

	*(Elf64_Shdr *)ret_header = (Elf64_Shdr){
		.sh_name = narrow->sh_name, .sh_type = narrow->sh_type, .sh_flags = narrow->sh_flags,
		.sh_addr = narrow->sh_addr, .sh_offset = narrow->sh_offset, .sh_size = narrow->sh_size,
		.sh_link = narrow->sh_link, .sh_info = narrow->sh_info, .sh_entsize = narrow->sh_entsize,
	};
}

static const struct header_kind {
	size_t wide, narrow; /* bytes */
	void (*widen)(const void *bytes, void *ret_header);
} segment_headers = {sizeof(Elf64_Phdr), sizeof(Elf32_Phdr), widen_segment},
  section_headers = {sizeof(Elf64_Shdr), sizeof(Elf32_Shdr), widen_section};

static size_t header_size(const struct elf_file *file, const struct header_kind *kind)
{
	return file->narrow ? kind->narrow : kind->wide;
}

size_t elf_file_symbol_size(const struct elf_file *file)
{
	return file->narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

Elf64_Sym elf_file_symbol(const struct elf_file *file, const void *bytes)
{
	Elf32_Sym narrow;
	Elf64_Sym symbol;

	if (!file->narrow) {
		memcpy(&symbol, bytes, sizeof(symbol));
		return symbol;
	}
	memcpy(&narrow, bytes, sizeof(narrow));
	return (Elf64_Sym){.st_name = narrow.st_name, .st_info = narrow.st_info, .st_other = narrow.st_other,
			   .st_shndx = narrow.st_shndx, .st_value = narrow.st_value, .st_size = narrow.st_size};
}

/* --- headers --- */

/* Those of a 32-bit file are widened. */
static int read_headers(const struct elf_file *file, const struct header_kind *kind, uint64_t offset, size_t count,
			void **ret_headers)
{
	_cleanup_free_ uint8_t *narrow = NULL;
	uint8_t *headers;
	int r = elf_file_read_table(file, offset, count, header_size(file, kind),
				    file->narrow ? (void **)&narrow : ret_headers);

	if (r < 0 || !file->narrow)
		return r;
	headers = calloc(count + 1, kind->wide);
	if (!headers)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		kind->widen(narrow + i * kind->narrow, headers + i * kind->wide);
	*ret_headers = headers;
	return 0;
}

static int check_header(const Elf64_Ehdr *header, bool relocatable)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    (header->e_ident[EI_CLASS] != ELFCLASS64 && header->e_ident[EI_CLASS] != ELFCLASS32))
		return -ENOEXEC;
	if (relocatable)
		return header->e_type == ET_REL ? 0 : -ENOEXEC;
	return header->e_type == ET_EXEC || header->e_type == ET_DYN ? 0 : -ENOEXEC;
}

/*
 * Takes the real counts from section 0 if they do not fit into the header's 16 bits (gABI, "ELF Header"). A file
 * with too many sections has none: its segments are enough to unwind.
 */
static int read_counts(struct elf_file *file, const Elf64_Ehdr *header, uint64_t *ret_sections, uint64_t *ret_segments)
{
	uint64_t sections = header->e_shoff ? header->e_shnum : 0, segments = header->e_phnum;
	bool in_section_0 = header->e_shoff && (!header->e_shnum || header->e_phnum == PN_XNUM ||
						header->e_shstrndx == SHN_XINDEX);

	file->name_section = header->e_shstrndx;
	if (in_section_0) {
		_cleanup_free_ Elf64_Shdr *first = NULL;
		int r = read_headers(file, &section_headers, header->e_shoff, 1, (void **)&first);

		if (r < 0)
			return r;
		if (!sections)
			sections = first->sh_size;
		if (segments == PN_XNUM)
			segments = first->sh_info;
		if (header->e_shstrndx == SHN_XINDEX)
			file->name_section = first->sh_link;
	}
	if (segments > ELF_MAX_SEGMENTS)
		return -E2BIG;
	if ((sections && header->e_shentsize != header_size(file, &section_headers)) ||
	    (segments && header->e_phentsize != header_size(file, &segment_headers)))
		return -EBADMSG;
	*ret_sections = sections <= ELF_MAX_SECTIONS ? sections : 0;
	*ret_segments = segments;
	return 0;
}

/* A run of notes, limited to what a build-id needs. Runs outside the file are ignored: debug files keep the
 * program headers of the stripped one. */
static void note_run(struct elf_file *file, uint64_t offset, uint64_t size)
{
	_cleanup_free_ void *notes = NULL;
	size_t length = size < NOTES_MAX_BYTES ? size : NOTES_MAX_BYTES;

	if (!file->build_id.length && !elf_file_read_table(file, offset, length, 1, &notes))
		elf_notes_build_id(notes, length, &file->build_id);
}

static int read_segments(struct elf_file *file, const Elf64_Ehdr *header, size_t count)
{
	_cleanup_free_ Elf64_Phdr *headers = NULL;
	size_t note_runs = 0;
	int r = read_headers(file, &segment_headers, header->e_phoff, count, (void **)&headers);

	if (r < 0)
		return r;
	file->segments = calloc(count ? count : 1, sizeof(*file->segments));
	if (!file->segments)
		return -ENOMEM;
	for (const Elf64_Phdr *segment = headers; segment < headers + count; segment++) {
		if (segment->p_type == PT_LOAD)
			file->segments[file->segment_count++] = (struct elf_segment){
				.file_offset = segment->p_offset,
				.address = segment->p_vaddr,
				.file_size = segment->p_filesz,
				.memory_size = segment->p_memsz,
				.flags = segment->p_flags,
			};
		else if (segment->p_type == PT_NOTE && note_runs++ < NOTES_MAX_RUNS)
			note_run(file, segment->p_offset, segment->p_filesz);
		else if (segment->p_type == PT_GNU_EH_FRAME && !file->eh_frame_hdr.p_type)
			file->eh_frame_hdr = *segment;
	}
	return 0;
}

static int read_sections(struct elf_file *file, const Elf64_Ehdr *header, size_t count)
{
	size_t note_runs = 0;
	int r = read_headers(file, &section_headers, header->e_shoff, count, (void **)&file->sections);

	if (r < 0)
		return r;
	file->section_count = count;
	for (const Elf64_Shdr *section = file->sections; section < file->sections + count; section++)
		if (section->sh_type == SHT_NOTE && note_runs++ < NOTES_MAX_RUNS)
			note_run(file, section->sh_offset, section->sh_size);
	return 0;
}

static int read_all(struct elf_file *file, bool relocatable)
{
	uint64_t sections, segments;
	struct stat status;
	Elf64_Ehdr header;
	int r;

	if (fstat(file->fd, &status) < 0)
		return -errno;
	file->size = (uint64_t)status.st_size;
	if (!S_ISREG(status.st_mode) || file->size < sizeof(header))
		return -ENOEXEC;
	r = elf_file_read(file, 0, sizeof(header), &header);
	if (!r)
		r = check_header(&header, relocatable);
	file->narrow = !r && header.e_ident[EI_CLASS] == ELFCLASS32;
	if (file->narrow)
		widen_header(&header);
	if (!r)
		r = read_counts(file, &header, &sections, &segments);
	if (!r)
		r = read_segments(file, &header, segments);
	if (!r)
		r = read_sections(file, &header, sections);
	file->machine = header.e_machine;
	file->entry = header.e_entry;
	return r;
}

static int create(int fd, bool relocatable, struct elf_file **ret_file)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	int r;

	if (!file)
		return -ENOMEM;
	file->fd = fd;
	r = read_all(file, relocatable);
	if (r < 0) {
		elf_file_destroy(file);
		return r;
	}
	*ret_file = file;
	return 0;
}

int elf_file_create(int fd, struct elf_file **ret_file)
{
	return create(fd, false, ret_file);
}

int elf_file_create_relocatable(int fd, struct elf_file **ret_file)
{
	return create(fd, true, ret_file);
}

void elf_file_destroy(struct elf_file *file)
{
	if (!file)
		return;
	free(file->segments);
	free(file->sections);
	free(file);
}

bool elf_file_is_narrow(const struct elf_file *file)
{
	return file->narrow;
}

uint16_t elf_file_machine(const struct elf_file *file)
{
	return file->machine;
}

uint64_t elf_file_entry(const struct elf_file *file)
{
	return file->entry;
}

void elf_file_build_id(const struct elf_file *file, struct build_id *ret_id)
{
	*ret_id = file->build_id;
}

bool elf_file_has_build_id(const struct elf_file *file, const struct build_id *id)
{
	return build_id_equal(&file->build_id, id);
}

uint64_t elf_file_layout(const struct elf_file *file)
{
	uint64_t layout = hash_mix(file->size);

	for (size_t i = 0; i < file->section_count; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		layout = hash_mix(layout ^ section->sh_offset) + hash_mix(layout ^ section->sh_size ^ section->sh_addr);
	}
	return layout;
}

size_t elf_file_segments(const struct elf_file *file, const struct elf_segment **ret_segments)
{
	*ret_segments = file->segments;
	return file->segment_count;
}

uint64_t elf_file_text_address(const struct elf_file *file)
{
	for (size_t i = 0; i < file->segment_count; i++)
		if (file->segments[i].flags & PF_X)
			return file->segments[i].address;
	return 0;
}
