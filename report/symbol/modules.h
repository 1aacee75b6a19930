/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The modules of all traces, each once. A module is identified by its build-id, or without one by
 * host and path, and by what its trace says about it: modules of two scopes are one only if both
 * traces say the same, so that no trace names or unwinds what another one recorded.
 *
 * Module addresses are link-time addresses if the load segments are known (from the trace, else
 * from a local file with the build-id), else file offsets. Addresses of kernel modules and vmlinux
 * are relative to their start. JIT code has the process's addresses, and is one module per process
 * if there is a perf map for it.
 *
 * Symbols are loaded on demand. The best table wins: a full one, even from a local debug file; then
 * the trace's; then any other of the local file. Number 0 is "no module". Modules that differ in
 * their traces only share what this machine's files say. Holds pointers into the
 * traces, which must outlive it.
 */
#ifndef RWALKER_REPORT_SYMBOL_MODULES_H
#define RWALKER_REPORT_SYMBOL_MODULES_H

#include "report/dwarf/lines.h"
#include "report/file/local_files.h"
#include "report/read/trace_model.h"
#include "report/symbol/symbol_index.h"
#include "report/unwind/cfi.h"

struct local_store;
struct module_identities;
struct progress;

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

enum symbol_state { /* the source of a module's names; worst last */
	SYMBOLS_NOT_ASKED,
	SYMBOLS_FOUND,
	SYMBOLS_NONE_IN_FILE,	/* the file is the right one, but has no symbols */
	SYMBOLS_NO_BUILD_ID,	/* so no file can be trusted */
	SYMBOLS_NO_FILE,
	SYMBOLS_NO_PLACE,	/* a kernel module's file, which does not say where its code is loaded */
	SYMBOLS_NOT_OPENED,	/* the rules forbid opening the file, or nobody answered (opener.h) */
	SYMBOLS_UNREADABLE,	/* a local file that is not a supported ELF file */
	SYMBOLS_OTHER_BUILD_ID, /* a local file was refused */
};

/*
 * A hash of what a trace says about each of its modules (segments, symbols, unwind information,
 * lines). Two modules have the same hash only if their traces say the same: it is a polynomial of all
 * bytes, evaluated at two random points modulo 2^61 - 1 (Carter and Wegman, "Universal classes of
 * hash functions", 1979). A trace that does not know the points can make two texts of 2^24 words
 * collide with a probability of at most 2^-74.
 */
struct evidence { /* zeros: the trace says nothing */
	uint64_t sums[2];
};

struct module_part { /* the module in one section */
	const struct trace_model *model;
	const struct trace_module *module;
};

struct module {
	uint32_t kind;	    /* enum module_kind; 0: no module */
	const char *name;   /* base name, "[kernel]", "[ext4]" ... */
	const char *path;
	const char *build_id; /* hex, "" */
	struct build_id id;
	uint32_t tgid;	/* of a perf map, else 0 */
	uint32_t alike; /* the first module with its identity and path: they differ in their traces only */
	size_t place;	/* in module_identity.c, as the next member */
	struct evidence evidence;
	ARRAY(struct module_part) parts;
	bool located, link_time; /* segments were searched; were found: addresses are link-time addresses */
	struct event_segment *segments;
	size_t segment_count;
	enum symbol_state embedded_state, local_state;
	enum symbol_origin local_origin;
	const char *local_path;	  /* of the file with the names, or "" */
	const char *refused_path; /* of a wrong file in its place, or "" */
	struct symbol_index *embedded, *local; /* `local` is the store's */
	bool local_first; /* `local` is a full symbol table: it has functions that the trace lacks */
	bool debug_asked; /* a debug file was searched for such a table */
	struct symbol_index *functions; /* unnamed functions from the trace: only their ranges are known */
	const struct cfi_file *local_functions; /* the same, from the local file; the store's; NULL: not read */
	struct module_unwind *unwind; /* NULL: not read */
	struct line_answers lines;
	int lines_error;
};

struct module_budget {
	const struct trace_model *model;
	uint64_t left; /* bytes */
};

struct modules {
	struct local_files files;
	ARRAY(struct module *) items; /* [0]: no module */
	struct module_identities *identities;
	struct local_store *store;
	struct text_pool texts;
	struct progress *progress; /* NULL: no progress is shown */
	size_t lines_asked;	   /* modules whose DWARF was requested */
	ARRAY(struct module_budget) budgets;
	size_t left_packed; /* modules whose compressed data exceeds the budget: left out */
	size_t lines_cut;	   /* those of them that were not completely read because of Ctrl-C */
};

int modules_init(struct modules *modules, const struct local_files *files);
void modules_deinit(struct modules *modules);

struct modules_place { /* the origin of modules: facts of one scope are not used in another */
	uint32_t scope;
	uint32_t host; /* distinguishes modules without build-id */
};

/*
 * Begins a scope: learns what a section, and those that add to it, say about modules. `several`:
 * there is more than one scope. -ENOMEM, -errno of reading.
 */
int modules_learn(struct modules *modules, const struct trace_model *const *models, size_t count, uint32_t host,
		  bool several, struct modules_place *ret_place);
/*
 * The number of the section's module `module`. `tgid`: of the process, for JIT code, which is a module of its own if the trace
 * has a perf map for it; else 0. -ENOMEM.
 */
int modules_add(struct modules *modules, const struct modules_place *place, const struct trace_model *model,
		const struct trace_module *module, uint32_t tgid, uint32_t *ret_number);

/*
 * The bytes to which a section's compressed data (MiniDebugInfo, .debug_frame) may still be unpacked:
 * 16 MB in all, plus 32 times the stored size of its EMBED chunks. So each section can use up only
 * its own. Valid until the next call. NULL: out of memory.
 */
uint64_t *modules_budget(struct modules *modules, const struct trace_model *model);

/* Whether its file was read while recording: the trace has what was requested of it, even if that is nothing. */
bool module_was_embedded(const struct module *module);

/* Converts an offset in the module's file to a module address; without a file, an address. */
uint64_t modules_address(struct modules *modules, uint32_t number, uint64_t file_offset);

struct module_symbol {
	struct symbol_index *index;
	uint32_t symbol;
	uint64_t start;
};

/*
 * The unnamed function at a module address, [start, end), from unwind information. 1: found; 0:
 * unknown; -ENOMEM. Look up the symbol first.
 */
int modules_find_function(struct modules *modules, uint32_t number, uint64_t address, bool caller,
			  uint64_t *ret_start, uint64_t *ret_end);

/*
 * The function at a module address. For callers the address is a return address, after the call,
 * and the function is the one that contains the byte before it. 1: found; 0: unknown; -ENOMEM.
 */
int modules_find_symbol(struct modules *modules, uint32_t number, uint64_t address, bool caller,
			struct module_symbol *ret_symbol);

/*
 * Lines of a module's addresses. They come from the traces, else from DWARF on this machine: of the
 * local binary, if it has the module's build-id and DWARF, else of its separate debug file; for the
 * kernel, of --vmlinux or its debug file. All addresses of a module are resolved at once, before
 * the first lookup. The answers belong to the module.
 */
struct line_request {
	uint32_t module;
	const uint64_t *addresses; /* of the module; ascending, each once */
	size_t count;
};

/*
 * Resolves the addresses of some modules, each listed once. Call it once. A child process reads the
 * DWARF for all modules that use the same files. Unknown addresses have no answers; after an error module->lines_error is
 * set, as returned by line_child_finish(). Ctrl-C ends it: modules not yet read are counted
 * (modules->lines_cut). 0 or -ENOMEM.
 */
int module_lines_resolve(struct modules *modules, const struct line_request *requests, size_t count);

/* The levels of a resolved address, innermost function first. 0: nothing is known about it. */
size_t module_lines_find(const struct modules *modules, uint32_t number, uint64_t address,
			 const struct line_level **ret_levels);

/*
 * A module's unwind information, read on demand from the trace, or, if the trace has none, from the
 * local file with its build-id. Each module has its own, which threads may share.
 */
enum unwind_source { /* of a module's unwind information */
	UNWIND_NOT_ASKED,
	UNWIND_FROM_TRACE,
	UNWIND_FROM_FILE,
	UNWIND_NOWHERE,
};

struct module_unwind {
	enum unwind_source source;
	struct cfi_file file; /* section is NULL if there is none */
};

/* *ret_section is NULL if there is none. 0 or -ENOMEM. `arch`: of the trace. */
int module_unwind_find(struct modules *modules, uint32_t number, const struct unwind_arch *arch,
		       const struct cfi_section **ret_section);
/*
 * Copies a piece of a section into the section, which the first piece creates. The pieces are
 * untrusted. Bytes that none covers are zero. 1: it was the first; 0: copied, or ignored because it
 * does not fit the others; -ENOMEM.
 */
int module_unwind_join(const struct event_embed_unwind *piece, struct elf_section_bytes *section);

#endif
