/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The functions of a program or library, from the best of the files that name them:
 *
 *	the binary's own .symtab
 *	its debug file: by build-id, .gnu_debuglink, from a debuginfod server
 *	the binary's .dynsym with its .gnu_debugdata (MiniDebugInfo: an xz-compressed ELF file) or .gopclntab (Go)
 *	its .dynsym
 *
 * The first that has functions is taken; a full symbol table has everything that the poorer ones have.
 */
#ifndef RWALKER_REPORT_RESOLVE_FILE_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_FILE_SYMBOLS_H

#include "report/resolve/local_files.h"
#include "report/resolve/symbol_index.h"

enum symbol_origin { /* poorest last */
	SYMBOLS_FROM_NOWHERE,
	SYMBOLS_FROM_TRACE,
	SYMBOLS_FROM_SYMTAB,
	SYMBOLS_FROM_BUILD_ID, /* debug files, by the way they were found */
	SYMBOLS_FROM_DEBUG_LINK,
	SYMBOLS_FROM_SERVER,
	SYMBOLS_FROM_MINI_DEBUG_INFO,
	SYMBOLS_FROM_GO,
	SYMBOLS_FROM_DYNSYM,
	SYMBOLS_FROM_VMLINUX,
	SYMBOLS_FROM_KALLSYMS,
	SYMBOLS_FROM_KERNEL_MODULE,
	SYMBOL_ORIGINS
};

struct file_symbols {
	struct symbol_list list;
	enum symbol_origin origin;
	char *path;    /* of the file they are from */
	char *refused; /* a file that would have been better and is another program's; NULL: none */
};

void file_symbols_deinit(struct file_symbols *symbols);

/*
 * 0 where some file fits, even if it names nothing; else what is wrong with the binary, as local_elf_open() says it; -ENOMEM.
 * `debug`: debug files may be used, as somebody else knows where the code lies in the binary. ret_symbols is set in any case.
 */
int file_symbols_collect(const struct local_files *files, const char *path, const struct build_id *id, bool debug,
			 struct file_symbols *ret_symbols);

/* Those in the file's .gnu_debugdata: 0, -ENOENT there is none, -ESTALE it is another file's, as elf_file_symbols(), unpack_xz(). */
int file_symbols_add_mini(const struct elf_file *elf, struct symbol_list *list);
/* The same of the section's bytes, of the file with that build-id. */
int file_symbols_add_packed(const void *bytes, size_t size, const struct build_id *id, struct symbol_list *list);

#endif
