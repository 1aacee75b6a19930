/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The modules of all traces, each once: those with a build-id by it, others by host and path. A module's
 * addresses are link-time addresses where its load segments are known (from the trace, else from a local file with its
 * build-id), file offsets otherwise; kernel modules and vmlinux count from their start; JIT code has
 * the process's own addresses and is a module per process where a perf map names it. Symbols are loaded at the first
 * question: from the trace; from debug files and the local file where the trace has none of it, or where debug
 * directories were given.
 * Number 0 is "no module". Pointers into traces: those must outlive this.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULES_H
#define RWALKER_REPORT_RESOLVE_MODULES_H

#include "report/read/trace_model.h"
#include "report/resolve/file_symbols.h"
#include "report/resolve/line_answers.h"
#include "report/resolve/local_files.h"
#include "report/resolve/symbol_index.h"

enum symbol_state { /* what stands behind a module's names; worst last */
	SYMBOLS_NOT_ASKED,
	SYMBOLS_FOUND,
	SYMBOLS_NONE_IN_FILE,	/* the file is the right one and names nothing */
	SYMBOLS_NO_BUILD_ID,	/* so that no file can be trusted */
	SYMBOLS_NO_FILE,
	SYMBOLS_NO_PLACE,	/* a kernel module's file, which does not tell where its code is loaded */
	SYMBOLS_UNREADABLE,	/* a local file that is no ELF file we read */
	SYMBOLS_OTHER_BUILD_ID, /* a local file was refused */
};

struct module_unwind;
struct progress;

struct module_part { /* one section's word on the module */
	const struct trace_model *model;
	const struct trace_module *module;
};

struct module {
	uint32_t kind;	    /* enum module_kind; 0: no module */
	const char *name;   /* base name, "[kernel]", "[ext4]" ... */
	const char *path;
	const char *build_id; /* hex, "" */
	struct build_id id;
	uint32_t tgid; /* of a perf map, else 0 */
	ARRAY(struct module_part) parts;
	bool located, link_time; /* segments were looked for; found: addresses are link-time ones */
	struct event_segment *segments;
	size_t segment_count;
	enum symbol_state embedded_state, local_state;
	enum symbol_origin local_origin;
	const char *local_path;	  /* of the file that names come from, "" */
	const char *refused_path; /* of a file that is in its place and is another's, "" */
	struct symbol_index *embedded, *local;
	struct module_unwind *unwind; /* module_unwind.h; NULL: not asked for */
	struct line_answers lines;    /* module_lines.h */
	int lines_error;
};

struct modules {
	struct local_files files;
	ARRAY(struct module *) items; /* [0]: no module */
	struct hash_map *keys;
	struct text_pool texts;
	struct progress *progress;	  /* NULL: nobody looks */
	size_t lines_asked, lines_cut; /* modules whose DWARF was wanted; of these not read, or not all of it, as Ctrl-C was pressed */
};

int modules_init(struct modules *modules, const struct local_files *files);
void modules_deinit(struct modules *modules);

/* The module that a section calls `module`. `host` tells apart what has no build-id. -ENOMEM. */
int modules_add(struct modules *modules, const struct trace_model *model, const struct trace_module *module,
		uint32_t host, uint32_t *ret_number);
/* JIT code of one process; the same as modules_add where the trace has no perf map of it. */
int modules_add_jit(struct modules *modules, const struct trace_model *model, const struct trace_module *module,
		    uint32_t host, uint32_t tgid, uint32_t *ret_number);

/* Its file was read while recording: of it the trace holds what was wanted, even if that is nothing. */
bool module_was_embedded(const struct module *module);

/* The module address of a byte of the module's file; of an address where there is no file. */
uint64_t modules_address(struct modules *modules, uint32_t number, uint64_t file_offset);

struct module_symbol {
	struct symbol_index *index;
	uint32_t symbol;
	uint64_t start;
};

/*
 * The function at a module address. For callers the address is a return address, behind the call, and the function
 * is the one that holds the byte before it. 1 found, 0 unknown, -ENOMEM.
 */
int modules_find_symbol(struct modules *modules, uint32_t number, uint64_t address, bool caller,
			struct module_symbol *ret_symbol);

#endif
