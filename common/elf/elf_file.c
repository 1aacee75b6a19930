/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/array.h"
#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/elf/elf_internal.h"
#include "common/hash_map.h"
#include "common/process.h"
#include "common/unconst.h"

/* --- notes --- */

/*
 * Skips padding to the next multiple of `alignment`, relative to the start of the notes; it may be
 * cut off at the end.
 */
static void skip_padding(struct byte_cursor *cursor, const uint8_t *start, size_t alignment)
{
	size_t padding = -(size_t)(cursor->next - start) & (alignment - 1), left = byte_cursor_left(cursor);

	(void)byte_cursor_bytes(cursor, padding < left ? padding : left);
}

static bool find_build_id(const uint8_t *notes, size_t length, size_t alignment, struct build_id *ret_id)
{
	struct byte_cursor cursor = byte_cursor_make(notes, length);

	while (byte_cursor_left(&cursor)) {
		uint32_t name_size = byte_cursor_u32(&cursor), size = byte_cursor_u32(&cursor),
			 type = byte_cursor_u32(&cursor);
		const uint8_t *name = byte_cursor_bytes(&cursor, name_size), *bytes;

		skip_padding(&cursor, notes, alignment);
		bytes = byte_cursor_bytes(&cursor, size);
		skip_padding(&cursor, notes, alignment);
		if (bytes && type == NT_GNU_BUILD_ID && name_size == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && size && size <= BUILD_ID_MAX) {
			ret_id->length = (uint8_t)size;
			memcpy(ret_id->bytes, bytes, size);
			return true;
		}
	}
	return false;
}

/* Most notes are aligned to 4 bytes, .note.gnu.property and those merged with it to 8; the run itself does not say. */
void elf_notes_build_id(const void *notes, size_t length, struct build_id *ret_id)
{
	*ret_id = (struct build_id){0};
	if (!find_build_id(notes, length, 4, ret_id))
		(void)find_build_id(notes, length, 8, ret_id);
}

/* --- sections --- */

enum { SECTION_NAMES_MAX_BYTES = 16 << 20 };

int elf_file_section_names(const struct elf_file *file, char **ret_names, size_t *ret_size)
{
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *section;
	int r;

	if (file->name_section >= file->section_count)
		return -EBADMSG;
	section = &file->sections[file->name_section];
	if (section->sh_type != SHT_STRTAB || !section->sh_size || section->sh_size > SECTION_NAMES_MAX_BYTES)
		return -EBADMSG;
	r = elf_file_read_table(file, section->sh_offset, section->sh_size, 1, (void **)&names);
	if (r < 0)
		return r;
	names[section->sh_size - 1] = '\0';
	*ret_names = steal_ptr(names);
	*ret_size = section->sh_size;
	return 0;
}

static const Elf64_Shdr *find_section(const struct elf_file *file, const char *names,
				      size_t names_size, const char *name)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].sh_name < names_size && !strcmp(names + file->sections[i].sh_name, name))
			return &file->sections[i];
	return NULL;
}

int elf_file_section(const struct elf_file *file, const char *name, uint64_t most, struct elf_section_bytes *ret_bytes)
{
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *section;
	size_t names_size;
	void *bytes;
	int r = elf_file_section_names(file, &names, &names_size);

	if (r < 0)
		return r == -ENOMEM ? r : -ENOENT;
	section = find_section(file, names, names_size, name);
	if (!section || section->sh_type == SHT_NOBITS || !section->sh_size)
		return -ENOENT;
	if (section->sh_size > most)
		return -E2BIG;
	r = elf_file_read_table(file, section->sh_offset, section->sh_size, 1, &bytes);
	if (r < 0)
		return r;
	*ret_bytes = (struct elf_section_bytes){.bytes = bytes,
						.size = section->sh_size,
						.address = section->sh_addr,
						.compressed = section->sh_flags & SHF_COMPRESSED};
	return 0;
}

bool elf_file_has_dwarf(const struct elf_file *file)
{
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *section;
	size_t size;

	if (elf_file_section_names(file, &names, &size) < 0)
		return false;
	section = find_section(file, names, size, ".debug_info");
	if (!section)
		section = find_section(file, names, size, ".zdebug_info");
	return section && section->sh_type != SHT_NOBITS;
}

int elf_file_module_text(const struct elf_file *file, uint16_t *ret_section, uint64_t *ret_size)
{
	_cleanup_free_ char *names = NULL;
	size_t names_size;
	int r = elf_file_section_names(file, &names, &names_size);

	/* Number 0 is not a section, whatever its header says. */
	for (size_t i = 1; !r && i < file->section_count && i <= UINT16_MAX; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		const char *name = section->sh_name < names_size ? names + section->sh_name : "";

		if (~section->sh_flags & (SHF_ALLOC | SHF_EXECINSTR) || !strncmp(name, ".init", 5))
			continue;
		if (strcmp(name, ".text") != 0)
			return -ENOTSUP;
		*ret_section = (uint16_t)i;
		*ret_size = section->sh_size;
		return 0;
	}
	return r < 0 ? r : -ENOENT;
}

bool elf_file_has_symtab(const struct elf_file *file)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].sh_type == SHT_SYMTAB)
			return true;
	return false;
}

/* --- compressed sections (SHF_COMPRESSED; System V gABI, "Section Compression"): the door to zlib --- */

enum { ZLIB_RATIO = 1032 }; /* the most that a byte of zlib data can unpack to (zlib, technical details) */

/* All streams, one after the other, as written by linkers that join sections. Both sizes fit zlib's 32 bits. */
static int inflate_all(z_stream *stream)
{
	int r = Z_STREAM_END;

	while (r == Z_STREAM_END && stream->avail_out) {
		r = inflate(stream, Z_FINISH);
		if (r == Z_STREAM_END && stream->avail_out && inflateReset(stream) != Z_OK)
			break;
	}
	return r == Z_STREAM_END && !stream->avail_out ? 0 : r == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int inflate_into(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
	z_stream stream = {
		.next_in = unconst(from),
		.avail_in = (uInt)size,
		.next_out = to,
		.avail_out = (uInt)wanted,
	};
	int r;

	if (inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	r = inflate_all(&stream);
	(void)inflateEnd(&stream);
	return r;
}

int elf_section_unpack(struct elf_section_bytes *section, uint64_t most)
{
	_cleanup_free_ uint8_t *to = NULL;
	size_t size = section->size;
	Elf64_Chdr header;
	int r;

	if (size < sizeof(header) || size > INT32_MAX)
		return -EBADMSG;
	memcpy(&header, section->bytes, sizeof(header));
	size -= sizeof(header);
	if (header.ch_type != ELFCOMPRESS_ZLIB)
		return -ENOTSUP;
	if (header.ch_size > most)
		return -E2BIG;
	if (!header.ch_size || header.ch_size / ZLIB_RATIO > size)
		return -EBADMSG; /* before the allocation */
	to = malloc(header.ch_size);
	if (!to)
		return -ENOMEM;
	r = inflate_into(section->bytes + sizeof(header), size, to, header.ch_size);
	if (r < 0)
		return r;
	free(section->bytes);
	*section = (struct elf_section_bytes){.bytes = steal_ptr(to), .size = header.ch_size,
					      .address = section->address};
	return 0;
}

/* --- call frame information --- */

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

/* --- the file --- */

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

void build_id_text(const struct build_id *id, char text[static BUILD_ID_TEXT])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < id->length; i++) {
		text[2 * i] = digits[id->bytes[i] >> 4];
		text[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	text[2 * (size_t)id->length] = '\0';
}

bool build_id_equal(const struct build_id *one, const struct build_id *other)
{
	return one->length == other->length && !memcmp(one->bytes, other->bytes, one->length);
}

int elf_file_read(const struct elf_file *file, uint64_t offset, uint64_t length, void *out)
{
	uint64_t end;
	ssize_t got;

	if (__builtin_add_overflow(offset, length, &end) || end > file->size)
		return -EBADMSG;
	got = descriptor_read(file->fd, out, length, offset);
	if (got < 0)
		return (int)got;
	return (uint64_t)got < length ? -EBADMSG : 0; /* it shrank */
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
