/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the parts of this room share: where the names of a module come from, and which modules are the same. */
#ifndef RWALKER_REPORT_SYMBOL_MODULES_INTERNAL_H
#define RWALKER_REPORT_SYMBOL_MODULES_INTERNAL_H

#include "report/file/local_files.h"
#include "report/symbol/modules.h"
#include "report/symbol/symbol_index.h"

struct module_identities;

/* MiniDebugInfo: the embedded file. -ENOENT: there is none; else as elf_file_section(), unpack_xz(). */
int mini_symbols_unpack(const struct elf_file *elf, int *ret_fd);
/* Adds its functions to the list. -ESTALE: it belongs to another build-id; else as elf_file_symbols(). */
int mini_symbols_add(int fd, const struct build_id *id, struct symbol_list *list);
/*
 * The functions of a program or library, from the best of the files that name them:
 *
 *	the binary's own .symtab
 *	its debug file: by build-id, .gnu_debuglink, from a debuginfod server
 *	the binary's .dynsym with its .gnu_debugdata (MiniDebugInfo: an xz-compressed ELF file) or .gopclntab (Go)
 *	its .dynsym
 *
 * The first one that has functions is used; a full symbol table has all that the poorer ones have.
 * PLT entries are always read from the binary: no table names them.
 */
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

/*
 * Facts about modules from files of this machine, read once for all modules with the same kind,
 * build-id and path. They do not depend on traces, except for the path of the file, whether
 * link-time addresses are known, and the release of a kernel module.
 */
enum local_question {
	LOCAL_DEBUG,	 /* the symbols of its debug file, without servers */
	LOCAL_BEST,	 /* the symbols of the best file */
	LOCAL_FUNCTIONS, /* where its functions are, from unwind information */
};

struct local_facts { /* filled in by the first caller */
	enum symbol_state state;
	enum symbol_origin origin;
	const char *path, *refused; /* "": none */
	struct symbol_index *symbols;
	struct cfi_file *functions;
};

int local_store_create(struct local_store **ret_store);
void local_store_destroy(struct local_store *store);

/* The facts live as long as the store. 1: new and empty, the caller has to read the files; 0: known; -ENOMEM. */
int local_store_find(struct local_store *store, const struct module *module, enum local_question question,
		     struct local_facts **ret_facts);

/*
 * The sources of a module's symbols, each tried once: the traces (embedded, kernel symbols, perf
 * maps, a BPF program's own name), and this machine (debug file, file at the module's path,
 * --vmlinux, --kallsyms). Sets the module's index and state. 0, even if there are none; -ENOMEM,
 * -errno of reading the trace.
 */
int module_symbols_load_embedded(struct modules *modules, struct module *module);
/* The full symbol table of a debug file on this machine, if there is one: it is better than the trace's symbols. */
int module_symbols_load_debug(struct modules *modules, struct module *module);
int module_symbols_load_local(struct modules *modules, struct module *module);

/* The address of _text in a kernel's ELF file, which is the base of kernel offsets. */
bool module_symbols_find_text(const struct elf_file *elf, uint64_t *ret_address);

/*
 * The functions of a kernel module from its own file (.ko). Addresses in the trace are relative to
 * the start of the module's core text. A relocatable file does not say where the kernel puts its
 * sections, except for the first one. So only functions in .text are usable, and only if .text is
 * the first section; nothing is guessed. 0; -ENOTSUP: it is not; else as
 * local_elf_open_kernel_module() and elf_file_symbols().
 */
int kernel_module_symbols_add(const struct local_files *files, const struct module *module,
			      struct file_symbols *symbols);

/*
 * Decides which modules of the traces are the same module: private to modules.c. In one scope,
 * those with the same identity are. Modules of two scopes are the same only if their paths are
 * equal, too, and their traces say the same about them (struct evidence).
 */
int module_identities_create(struct module_identities **ret_identities);
void module_identities_destroy(struct module_identities *identities);

/* Appends a module without any data to the items. */
int module_create(struct modules *modules, struct module **ret_module);
void module_destroy(struct module *module);

#endif
