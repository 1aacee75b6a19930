/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A bounded reader of ELF files: identity, load segments and function symbols, for both programs.
 * The file may be hostile or change while it is read, so it is read with pread into buffers of
 * known size, and never mapped; every offset, size and count is checked against the file's size and
 * the limits below. Little-endian ELF of any machine, 64-bit or 32-bit. Not for DWARF.
 */
#ifndef RWALKER_COMMON_ELF_ELF_FILE_H
#define RWALKER_COMMON_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

enum {
	ELF_MAX_SECTIONS = 1 << 18, /* a file with more is read as one without */
	ELF_MAX_SEGMENTS = 512,
	ELF_MAX_SYMBOLS = 16 << 20,
	ELF_MAX_SECTION_BYTES = 1 << 30,
	BUILD_ID_MAX = 64,
};

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t length; /* 0: none */
};

/* None if it is longer than BUILD_ID_MAX. */
struct build_id build_id_of(const void *bytes, size_t length);
enum { BUILD_ID_TEXT = 2 * BUILD_ID_MAX + 1 };
void build_id_text(const struct build_id *id, char text[static BUILD_ID_TEXT]);
/* Two without bytes are equal. */
bool build_id_equal(const struct build_id *one, const struct build_id *other);

struct elf_segment { /* PT_LOAD */
	uint64_t file_offset, address, file_size, memory_size;
	uint32_t flags; /* PF_* */
};

struct elf_symbol { /* STT_FUNC, STT_GNU_IFUNC, and STT_NOTYPE in executable sections */
	uint64_t address, size; /* link-time address; size 0 if the file gives none */
	uint32_t name;		/* offset in elf_symbols.names */
	uint8_t binding;	/* STB_*; also STB_WEAK: a name of an old version */
	uint8_t type;		/* STT_* */
	uint16_t section;	/* number of its section; 0: a special one, or beyond 16 bits */
};

struct elf_symbols {
	struct elf_symbol *items; /* as in the file, not sorted */
	size_t count;
	char *names; /* names_size bytes, the last one NUL */
	size_t names_size;
};

/*
 * fd stays the caller's. -ENOEXEC: not an ELF file that is supported; -EBADMSG: malformed; -E2BIG:
 * over a limit; -errno of pread.
 */
int elf_file_create(int fd, struct elf_file **ret_file);
/*
 * The same for a relocatable file, such as a kernel module: symbol addresses are relative to the
 * start of their section.
 */
int elf_file_create_relocatable(int fd, struct elf_file **ret_file);
void elf_file_destroy(struct elf_file *file);
static inline void elf_file_cleanup(struct elf_file **file) /* for _cleanup_() */
{
	elf_file_destroy(*file);
}

bool elf_file_is_narrow(const struct elf_file *file); /* 32-bit */
uint16_t elf_file_machine(const struct elf_file *file); /* EM_* */
uint64_t elf_file_entry(const struct elf_file *file);	/* link-time address of the entry point; 0: none */
/* From PT_NOTE, else SHT_NOTE; length 0 if there is none. */
void elf_file_build_id(const struct elf_file *file, struct build_id *ret_id);
bool elf_file_has_build_id(const struct elf_file *file, const struct build_id *id);
/* A hash of its size and section table. */
uint64_t elf_file_layout(const struct elf_file *file);
/* Valid as long as the file. */
size_t elf_file_segments(const struct elf_file *file, const struct elf_segment **ret_segments);
/* Start of the code, the base of textrel pointers; 0: there is none. */
uint64_t elf_file_text_address(const struct elf_file *file);
/* .symtab if there is one, merged with .dynsym if that adds names. An empty list is not an error. */
int elf_file_symbols(const struct elf_file *file, struct elf_symbols *ret_symbols);
/* Appends a symbol. -ENOMEM, -E2BIG. */
int elf_symbols_append(struct elf_symbols *symbols, const struct elf_symbols *more);
void elf_symbols_deinit(struct elf_symbols *symbols);

struct elf_section_bytes {
	uint8_t *bytes; /* NULL: no such section; else the owner frees it */
	size_t size;
	uint64_t address; /* link-time address of the first byte */
	bool compressed;  /* an Elf64_Chdr and the data that it describes */
};

/*
 * The first section with that name. -ENOENT: there is none, or it has no content in the file;
 * -E2BIG: more than `most` bytes.
 */
int elf_file_section(const struct elf_file *file, const char *name, uint64_t most, struct elf_section_bytes *ret_bytes);
/*
 * Replaces a compressed section's bytes by their contents: the size that it claims is believed up to a limit. On failure
 * it is unchanged: -ENOTSUP: not packed by zlib; -E2BIG: larger than `most`; -EBADMSG: malformed; -ENOMEM.
 */
int elf_section_unpack(struct elf_section_bytes *section, uint64_t most);
/* Whether it has a .debug_info, compressed or not. */
bool elf_file_has_dwarf(const struct elf_file *file);
/*
 * The code section with which a kernel module's core text begins in the kernel's layout: the first
 * executable one that is not an init section (kernel/module/main.c, layout_sections()). -ENOENT: it
 * has none; -ENOTSUP: it is not .text.
 */
int elf_file_module_text(const struct elf_file *file, uint16_t *ret_section, uint64_t *ret_size);
/* Whether the file has a .symtab in addition to the dynamic linker's table. */
bool elf_file_has_symtab(const struct elf_file *file);

struct elf_unwind { /* call frame information, undecoded */
	struct elf_section_bytes eh_frame, eh_frame_hdr, debug_frame;
};

/*
 * Found by section headers; if those are stripped, by PT_GNU_EH_FRAME; of stripped Go programs, from .gopclntab.
 * It is not an error if there is none.
 */
int elf_file_unwind(const struct elf_file *file, struct elf_unwind *ret_unwind);
void elf_unwind_deinit(struct elf_unwind *unwind);

/* The build-id in a sequence of ELF notes, such as /sys/kernel/notes or a vDSO's; length 0 if there is none. */
void elf_notes_build_id(const void *notes, size_t length, struct build_id *ret_id);

/*
 * Which of several function symbols at one address is taken, as far as it depends on properties
 * that are not in a trace: the recorder leaves out the others, and the reporter chooses among the
 * rest by their names. One with a size comes before one without, strong before weak, global before
 * local. The order is perf's (tools/perf/util/symbol.c, choose_best_symbol()), but a name of an old
 * version counts as weak (struct elf_symbol): perf calls free() cfree@GLIBC_2.2.5.
 * binding: STB_*; size 0: the file gives none. The symbol with the least rank is taken.
 */
static inline unsigned int symbol_rank(uint64_t size, uint8_t binding)
{
	return (size ? 0u : 4u) + (binding == STB_WEAK ? 2u : 0u) + (binding == STB_LOCAL ? 1u : 0u);
}

/*
 * The procedure linkage table: short stubs that each jump through a slot of the GOT, and which no
 * symbol table names. A stub is identified by the slot that it reads, and the slot by its
 * relocation, whatever the linker's layout of the table: x86-64 with and without IBT, lazy or not
 * (.plt, .plt.sec, .plt.got), aarch64 with and without BTI and PAC (System V ABI for x86-64, §5.2
 * and §13.2; ELF for the Arm 64-bit Architecture, §"PLT").
 *
 * "labs@plt" for each entry, "*ABS*+0x1234@plt" for one whose target is chosen at run time
 * (IRELATIVE) and has no name, and ".plt" for the code before the first entry, as perf names them.
 * By section, ascending. It is not an error if there are none. -EBADMSG, -E2BIG; -ENOMEM.
 */
int elf_file_plt_symbols(const struct elf_file *file, struct elf_symbols *ret_symbols);

/*
 * .gopclntab: the function table of Go's runtime, which stays in stripped programs. Supports the versions of Go 1.16,
 * 1.18, and 1.20 and later (src/runtime/symtab.go, src/cmd/link/internal/ld/pcln.go), 64-bit, little-endian.
 */
/* Where the table is, and the base of its addresses. */
struct elf_go_table {
	const uint8_t *bytes;
	size_t size;
	uint64_t text; /* address of the first function, if the table does not have it; 0: not known */
	uint64_t text_end;
};

/*
 * The functions of the table, ascending. 0; -ENOTSUP: another version, or its addresses cannot be determined; -EBADMSG,
 * -E2BIG; -ENOMEM.
 */
int elf_go_parse(const struct elf_go_table *table, struct elf_symbols *ret_symbols);

/* The frame sizes of the table, for x86-64, as a .debug_frame section, which the owner frees. 0; as above; -E2BIG. */
int elf_go_frames(const struct elf_go_table *table, uint8_t **ret_bytes, size_t *ret_size);
int elf_file_go_frames(const struct elf_file *file, uint8_t **ret_bytes, size_t *ret_size);

/* The functions of a file; -ENOENT: it has no such table. */
int elf_file_go_symbols(const struct elf_file *file, struct elf_symbols *ret_symbols);

#endif
