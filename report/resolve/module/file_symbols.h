/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The functions of a program or library, from the best of the files that name them:
 *
 *	the binary's own .symtab
 *	its debug file: by build-id, .gnu_debuglink, from a debuginfod server
 *	the binary's .dynsym with its .gnu_debugdata (MiniDebugInfo: an xz-compressed ELF file) or .gopclntab (Go)
 *	its .dynsym
 *
 * The first one that has functions is used; a full symbol table has all that the poorer ones have.
 * PLT entries (elf_plt.h) are always read from the binary: no table names them.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_FILE_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_MODULE_FILE_SYMBOLS_H

#include "report/resolve/file/local_files.h"
#include "report/resolve/symbol/symbol_index.h"

enum symbol_origin { /* poorest last */
	SYMBOLS_FROM_NOWHERE,
	SYMBOLS_FROM_TRACE,
	SYMBOLS_FROM_SYMTAB,
	SYMBOLS_FROM_BUILD_ID, /* debug files, by how they were found */
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
	char *path;    /* of the file they came from */
	char *refused; /* a better file that has another build-id; NULL: none */
};

void file_symbols_deinit(struct file_symbols *symbols);

/*
 * 0 if there is a file with the build-id, even without symbols; else the error of opening the
 * binary, as local_elf_open(); -ENOMEM. `debug`: debug files may be used, because the caller knows
 * where the code is in the binary. ret_symbols is always set.
 */
int file_symbols_collect(const struct local_files *files, const char *path,
			 const struct build_id *id, bool debug, struct file_symbols *ret_symbols);

/* The symbols of the debug file only. 0: it has some; -ENOENT, -ESTALE ...: none; -ENOMEM. ret_symbols as above. */
int file_symbols_collect_debug(const struct local_files *files, const char *path, const struct build_id *id,
			       struct file_symbols *ret_symbols);

#endif
