/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A bounded reader of ELF files: identity, load segments and function symbols, for both programs. The file may
 * be hostile or change while it is read, so it is read with pread into buffers of known size, never
 * mapped; every offset, size and count is checked against the file's size and the limits below. 64-bit
 * little-endian ELF of any machine. Not for DWARF.
 */
#ifndef RWALKER_COMMON_ELF_FILE_H
#define RWALKER_COMMON_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELF_MAX_SECTIONS = 65536,
	ELF_MAX_SEGMENTS = 512,
	ELF_MAX_SYMBOLS = 16 << 20,
	ELF_MAX_SECTION_BYTES = 1 << 30,
	BUILD_ID_MAX = 64,
};

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t length; /* 0: none */
};

struct elf_segment { /* PT_LOAD */
	uint64_t file_offset, address, file_size, memory_size;
	uint32_t flags; /* PF_* */
};

struct elf_symbol { /* STT_FUNC, STT_GNU_IFUNC, and STT_NOTYPE in executable sections */
	uint64_t address, size; /* link-time address; size 0 where the file gives none */
	uint32_t name;		/* offset in elf_symbols.names */
	uint8_t binding;	/* STB_* */
	uint8_t type;		/* STT_* */
	uint16_t section;	/* number of the section it lies in; 0: a special one, or beyond 16 bits */
};

struct elf_symbols {
	struct elf_symbol *items; /* as in the file, not sorted */
	size_t count;
	char *names; /* names_size bytes, the last one NUL */
	size_t names_size;
};

struct elf_file;

/* Takes no ownership of fd. -ENOEXEC: not an ELF we read; -EBADMSG: malformed; -E2BIG: over a limit; -errno of pread. */
int elf_file_create(int fd, struct elf_file **ret_file);
/* The same of a relocatable file, as kernel modules are: addresses of its symbols count from their section's start. */
int elf_file_create_relocatable(int fd, struct elf_file **ret_file);
void elf_file_destroy(struct elf_file *file);

uint16_t elf_file_machine(const struct elf_file *file); /* EM_* */
/* From PT_NOTE, else SHT_NOTE; length 0 where there is none. */
void elf_file_build_id(const struct elf_file *file, struct build_id *ret_id);
/* Valid as long as the file. */
size_t elf_file_segments(const struct elf_file *file, const struct elf_segment **ret_segments);
/* Where code begins, which is what textrel pointers count from; 0: there is none. */
uint64_t elf_file_text_address(const struct elf_file *file);
/* .symtab where there is one, joined with .dynsym where that adds names. An empty list is no error. */
int elf_file_symbols(const struct elf_file *file, struct elf_symbols *ret_symbols);
/* Behind what is there. -ENOMEM, -E2BIG. */
int elf_symbols_append(struct elf_symbols *symbols, const struct elf_symbols *more);
void elf_symbols_deinit(struct elf_symbols *symbols);

struct elf_section_bytes {
	uint8_t *bytes; /* NULL: there is no such section; else the holder frees it */
	size_t size;
	uint64_t address; /* link-time, of the first byte */
	bool compressed;  /* an Elf64_Chdr and what it says */
};

/* The first section of that name. -ENOENT: there is none, or nothing of it is in the file; -E2BIG: it has more than `most` bytes. */
int elf_file_section(const struct elf_file *file, const char *name, uint64_t most, struct elf_section_bytes *ret_bytes);
/*
 * The code section of a kernel module with which its core text begins, as the kernel lays it out: the first executable one that
 * is not for its start only (kernel/module/main.c, layout_sections()). -ENOENT: it has none; -ENOTSUP: it is not .text.
 */
int elf_file_module_text(const struct elf_file *file, uint16_t *ret_section, uint64_t *ret_size);
/* Whether the file has a symbol table of its own beside that of the dynamic linker. */
bool elf_file_has_symtab(const struct elf_file *file);

struct elf_unwind { /* call frame information, undecoded */
	struct elf_section_bytes eh_frame, eh_frame_hdr, debug_frame;
};

/* By section headers; where those are stripped, by PT_GNU_EH_FRAME. None at all is no error. */
int elf_file_unwind(const struct elf_file *file, struct elf_unwind *ret_unwind);
void elf_unwind_deinit(struct elf_unwind *unwind);

/* The build-id in a run of ELF notes, such as /sys/kernel/notes or a vDSO's; length 0 where there is none. */
void elf_notes_build_id(const void *notes, size_t length, struct build_id *ret_id);

#endif
