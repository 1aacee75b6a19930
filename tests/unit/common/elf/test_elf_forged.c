/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ELF files that no linker on this machine makes: more sections than 16 bits can count, other entry
 * sizes, other note alignment, and what an attacker would write. Damaged ones: tests/fuzz/fuzz_elf_file.c.
 */
#include "common/elf/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/test.h"

/*
 * The forged file: header, one PT_LOAD, one PT_NOTE, notes, names, symbols, section indexes,
 * sections. A test changes what it needs and writes it into a memfd.
 */
enum { NOTE_ROOM = 128, NAME_ROOM = 64, SYMBOLS = 3, CODE = 1, NAMES, SYMTAB, INDEXES, SECTIONS };

struct forged {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	uint8_t notes[NOTE_ROOM];
	char names[NAME_ROOM];
	struct {
		Elf64_Sym symbol;
		uint64_t more; /* entries are 32 bytes */
	} symbols[SYMBOLS];
	uint32_t indexes[SYMBOLS];
	uint32_t padding;
	Elf64_Shdr sections[SECTIONS];
};

static struct forged forge(void)
{
	struct forged f = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			   .e_phoff = offsetof(struct forged, segments), .e_shoff = offsetof(struct forged, sections),
			   .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
			   .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS},
		.segments = {{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 0x5000, .p_memsz = 0x5000},
			     {.p_type = PT_NOTE, .p_offset = offsetof(struct forged, notes)}},
		.names = "\0by_hand\0function\0elsewhere",
		.symbols = {[1] = {{.st_name = 1, .st_info = STT_NOTYPE, .st_shndx = CODE, .st_value = 0x1010}},
			    [2] = {{.st_name = 9, .st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC), .st_shndx = CODE,
				    .st_value = 0x1020, .st_size = 7}}},
		.sections = {[CODE] = {.sh_type = SHT_PROGBITS,
				       .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = 0x1000,
				       .sh_size = 0x100},
			     [NAMES] = {.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct forged, names),
					.sh_size = NAME_ROOM},
			     [SYMTAB] = {.sh_type = SHT_SYMTAB, .sh_offset = offsetof(struct forged, symbols),
					 .sh_size = sizeof(f.symbols),
					 .sh_entsize = sizeof(f.symbols[0]), .sh_link = NAMES},
			     [INDEXES] = {.sh_type = SHT_SYMTAB_SHNDX, .sh_offset = offsetof(struct forged, indexes),
					  .sh_size = sizeof(f.indexes), .sh_entsize = 4, .sh_link = SYMTAB}},
	};

	return f;
}

static int memfd_of(const void *bytes, size_t length)
{
	int fd = memfd_create("forged", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, bytes, length) != (ssize_t)length) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static int open_forged(const struct forged *f, int *ret_fd, struct elf_file **ret_file)
{
	*ret_fd = memfd_of(f, sizeof(*f));
	return *ret_fd < 0 ? -errno : elf_file_create(*ret_fd, ret_file);
}

static int symbols_of(const struct forged *f, struct elf_symbols *ret_symbols)
{
	_cleanup_close_ int fd = -1;
	struct elf_file *file = NULL;
	int r = open_forged(f, &fd, &file);

	if (!r)
		r = elf_file_symbols(file, ret_symbols);
	elf_file_destroy(file);
	return r;
}

static void check_symbols(struct test *t, const struct forged *f, int wanted, const char *first, const char *second)
{
	struct elf_symbols symbols = {0};
	size_t count = (first != NULL) + (second != NULL);
	int r = symbols_of(f, &symbols);

	CHECK_INT(t, r, wanted);
	CHECK_INT(t, symbols.count, count);
	if (first && symbols.count == count)
		CHECK_STR(t, symbols.names + symbols.items[0].name, first);
	if (second && symbols.count == count)
		CHECK_STR(t, symbols.names + symbols.items[1].name, second);
	elf_symbols_deinit(&symbols);
}

/* Counts in section 0, as gABI requires for 65,280 sections and more; readelf reads the same file. */
static void counts_beyond_16_bits(struct test *t)
{
	enum { MANY = 70000 };
	struct forged f = forge();
	_cleanup_free_ Elf64_Shdr *sections = calloc(MANY, sizeof(*sections));
	_cleanup_close_ int fd = -1;
	struct elf_symbols symbols = {0};
	const struct elf_segment *segments;
	struct elf_file *file = NULL;

	REQUIRE(t, sections);
	f.header.e_shnum = 0;
	f.header.e_shoff = sizeof(f);
	memcpy(sections, f.sections, sizeof(f.sections));
	sections[0].sh_size = MANY;
	sections[MANY - 1] = f.sections[CODE];
	f.symbols[1].symbol.st_shndx = SHN_XINDEX;
	f.indexes[1] = MANY - 1;
	fd = memfd_of(&f, sizeof(f));
	REQUIRE(t, fd >= 0);
	CHECK_INT(t, pwrite(fd, sections, MANY * sizeof(*sections), sizeof(f)), MANY * sizeof(*sections));
	REQUIRE(t, !elf_file_create(fd, &file));
	CHECK_INT(t, elf_file_symbols(file, &symbols), 0);
	CHECK_INT(t, symbols.count, 2);
	elf_symbols_deinit(&symbols);
	elf_file_destroy(file);
	sections[0].sh_size = ELF_MAX_SECTIONS + 1;
	CHECK_INT(t, pwrite(fd, sections, sizeof(*sections), sizeof(f)), sizeof(*sections));
	REQUIRE(t, !elf_file_create(fd, &file)); /* its segments are still good */
	CHECK_INT(t, elf_file_segments(file, &segments), 1);
	CHECK_INT(t, elf_file_symbols(file, &symbols), 0);
	CHECK_INT(t, symbols.count, 0);
	elf_symbols_deinit(&symbols);
	elf_file_destroy(file);
}

static void put_note(uint8_t **at, uint32_t type, const char *name, const char *bytes, uint32_t size, size_t alignment)
{
	Elf64_Nhdr note = {.n_namesz = (uint32_t)strlen(name) + 1, .n_descsz = size, .n_type = type};
	uint8_t *start = *at;

	memcpy(*at, &note, sizeof(note));
	memcpy(*at + sizeof(note), name, note.n_namesz);
	*at += (sizeof(note) + note.n_namesz + alignment - 1) / alignment * alignment;
	memcpy(*at, bytes, size);
	*at = start + ((size_t)(*at + size - start) + alignment - 1) / alignment * alignment;
}

/* A debug file's program headers are those of the stripped file: its notes are found by section. */
static void segments_outside_the_file(struct test *t)
{
	struct forged f = forge();
	_cleanup_close_ int fd = -1;
	const struct elf_segment *segments;
	struct elf_file *file = NULL;
	uint8_t *at = f.notes;
	struct build_id id;

	put_note(&at, NT_GNU_BUILD_ID, "GNU", "id", 2, 4);
	f.segments[0].p_offset = UINT64_MAX - 5;
	f.segments[1].p_offset = UINT64_MAX - 5;
	f.segments[1].p_filesz = UINT64_MAX;
	f.sections[INDEXES] = (Elf64_Shdr){
		.sh_type = SHT_NOTE, .sh_offset = offsetof(struct forged, notes), .sh_size = (uint64_t)(at - f.notes)};
	REQUIRE(t, !open_forged(&f, &fd, &file));
	elf_file_build_id(file, &id);
	CHECK_INT(t, id.length, 2);
	CHECK_INT(t, elf_file_segments(file, &segments), 1);
	CHECK(t, segments[0].file_offset == UINT64_MAX - 5);
	CHECK_INT(t, elf_file_machine(file), EM_X86_64);
	elf_file_destroy(file);
}

static void names_that_do_not_end(struct test *t)
{
	struct forged f = forge();
	char wanted[NAME_ROOM - 9 + 1] = "";

	memset(wanted, 'x', NAME_ROOM - 9);
	memset(f.names + 9, 'x', NAME_ROOM - 9); /* ended by the reader's own NUL */
	f.symbols[1].symbol.st_name = NAME_ROOM; /* just beyond */
	check_symbols(t, &f, 0, wanted, NULL);
}

static void what_is_no_elf_of_ours(struct test *t)
{
	static const struct {
		size_t offset;
		uint8_t byte;
		int wanted;
	} changes[] = {
		{0, 0, -ENOEXEC},
		{EI_CLASS, ELFCLASSNONE, -ENOEXEC},
		{EI_DATA, ELFDATA2MSB, -ENOEXEC},
		{offsetof(Elf64_Ehdr, e_type), ET_REL, -ENOEXEC},
		{offsetof(Elf64_Ehdr, e_type), ET_CORE, -ENOEXEC},
		{offsetof(Elf64_Ehdr, e_phentsize), 1, -EBADMSG},
		{offsetof(Elf64_Ehdr, e_shentsize), 1, -EBADMSG},
		{offsetof(Elf64_Ehdr, e_phoff) + 7, 0xff, -EBADMSG},
		{offsetof(Elf64_Ehdr, e_shoff) + 7, 0x7f, -EBADMSG},
		{offsetof(Elf64_Ehdr, e_phnum) + 1, 0x7f, -E2BIG},
	};
	_cleanup_close_ int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct elf_file *file = NULL;

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct forged f = forge();
		_cleanup_close_ int fd = -1;

		((uint8_t *)&f)[changes[i].offset] = changes[i].byte;
		CHECK_INT(t, open_forged(&f, &fd, &file), changes[i].wanted);
	}
	CHECK_INT(t, elf_file_create(folder, &file), -ENOEXEC);
	CHECK_INT(t, elf_file_create(-1, &file), -EBADF);
	CHECK(t, !file);
}

/* Every symbol's name is a tail of one long string: comparing them all would take forever. */
static void names_made_to_waste_time(struct test *t)
{
	enum { MANY = 200000, LONG = 1 << 20 };
	struct forged f = forge();
	size_t bytes = sizeof(f) + LONG + MANY * sizeof(Elf64_Sym);
	_cleanup_free_ uint8_t *image = malloc(bytes);
	_cleanup_close_ int fd = -1;
	struct elf_symbols symbols;
	struct elf_file *file = NULL;

	REQUIRE(t, image);
	f.sections[NAMES].sh_offset = sizeof(f);
	f.sections[NAMES].sh_size = LONG;
	f.sections[SYMTAB].sh_offset = sizeof(f) + LONG;
	f.sections[SYMTAB].sh_size = MANY * sizeof(Elf64_Sym);
	f.sections[SYMTAB].sh_entsize = sizeof(Elf64_Sym);
	memcpy(image, &f, sizeof(f));
	memset(image + sizeof(f), 'a', LONG);
	for (uint32_t i = 0; i < MANY; i++) {
		Elf64_Sym symbol = {.st_name = i, .st_info = STT_FUNC, .st_shndx = CODE, .st_value = 0x1000};

		memcpy(image + sizeof(f) + LONG + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
	fd = memfd_of(image, bytes);
	REQUIRE(t, fd >= 0 && !elf_file_create(fd, &file));
	CHECK_INT(t, elf_file_symbols(file, &symbols), -E2BIG);
	elf_file_destroy(file);
}

TEST_MAIN(TEST(counts_beyond_16_bits), TEST(segments_outside_the_file),
	  TEST(names_that_do_not_end), TEST(what_is_no_elf_of_ours),
	  TEST(names_made_to_waste_time))
