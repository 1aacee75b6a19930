/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The text map that JIT compilers leave in /tmp/perf-PID.map: "START SIZE name" per line, numbers
 * in hex, as described in perf's Documentation/jit-interface.txt. Later lines override earlier
 * ones that overlap (code memory is reused); the file has no times. The target writes the file while we read it: read
 * with pread, bounded; lines that make no sense are skipped.
 */
#ifndef RWALKER_RECORD_HELPER_PICK_H
#define RWALKER_RECORD_HELPER_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"
#include "common/elf/elf_cfi.h"
#include "common/elf/elf_file.h"

/* Run-time addresses, in the order of the lines. An empty list is not an error. 0, -ENOMEM, -EFBIG, -errno of pread. */
int perf_map_read(int fd, struct elf_symbols *ret_symbols);

/*
 * Keeps the lines that name the hits (ascending). What a line after the first `settled` bytes named anew, during
 * the recording, had one name before and another one afterwards, and nobody knows when: it is called by both, "A or
 * B", or "C or 2 others". -ENOMEM.
 */
int perf_map_pick(struct elf_symbols *symbols, const uint64_t *hits, size_t count, uint64_t settled);

/*
 * Which function symbols of a module the trace needs: all of them in ascending order, or only
 * those that hold an address some sample points to, with every alias and every symbol around it,
 * so that the reader chooses among the same names as in the whole table. Symbols without a size
 * extend to the next one.
 */

/*
 * Keeps only the names of the least rank at each address (symbol_rank()): the reader
 * would not choose the others, but cannot see in a trace what they are. To be called before any
 * size is estimated.
 */
void symbol_pick_drop_lesser(struct elf_symbols *symbols);

/* Sorts by address and extends symbols without a size up to the next address (or by one byte). */
void symbol_pick_prepare(struct elf_symbol *symbols, size_t count);

/* Sets keep[i] for every symbol that is needed; hits ascending, in the symbols' address space. */
void symbol_pick_mark(const struct elf_symbol *symbols, size_t count, const uint64_t *hits,
		      size_t hit_count, bool *keep);

/*
 * What the trace holds for code without symbols: where the functions that were hit begin and end,
 * by the module's unwind information. They are symbols with an empty name, so that the reader can
 * group what it cannot name.
 */

/*
 * Adds one for each function that holds a hit outside of all symbols. Sorts the symbols; hits
 * ascending. 0, -ENOMEM, -E2BIG.
 */
int function_pick_add(const struct elf_file *file, const uint64_t *hits, size_t hit_count, struct elf_symbols *symbols);

/*
 * The separate debug file of a stripped module, if this machine has it: its symbol table names
 * the hits better than what is left in the module. Only symbols that were hit are used, because
 * such a table is large.
 */

enum { DEBUG_PICK_PATH = 192 };

/* Where the file would be below /usr/lib/debug, by build-id. False: the id is too short or too long. */
bool debug_pick_path(const struct build_id *id, char path[DEBUG_PICK_PATH]);

/*
 * Adds the symbols of the debug file that hold a hit, or the byte after one, which is where
 * signal handlers return to. A file with another build-id, or one that cannot be read, adds
 * nothing. Hits ascending. 0, -ENOMEM, -E2BIG.
 */
int debug_pick_add(int fd, const struct build_id *id, const uint64_t *hits, size_t hit_count,
		   struct elf_symbols *symbols);

/*
 * Which bytes of a section with call frame information the trace needs: all entries, or the FDEs
 * of the functions that were hit, each with its CIE. Pieces ascend, do not overlap, and hold whole
 * entries, so that losing one piece leaves the others readable; only an entry larger than the
 * limit of a piece is cut. One pass over the section, in time and memory bounded by its size. A
 * section that is malformed somewhere ends there.
 */

struct unwind_section_view {
	struct cfi_bytes bytes;
	enum cfi_kind kind;
	uint64_t text; /* base of pointers that are relative to text */
};

struct unwind_piece { /* of the section */
	uint32_t offset, size;
};

struct unwind_pieces {
	ARRAY(struct unwind_piece) list;
	uint64_t bytes;	   /* of all pieces */
	uint32_t most;	   /* bytes of a piece, at most; the caller chooses */
	/* Entries that were hit but that no trace can hold: beyond RWK_MAX_UNWIND_SECTION, or not aligned. */
	uint32_t left_out;
};

void unwind_pieces_deinit(struct unwind_pieces *pieces);

/* Picks all entries. 0; -E2BIG: the section is too large for any trace; -ENOMEM. */
int unwind_pick_all(const struct unwind_section_view *section, struct unwind_pieces *pieces);

/*
 * Picks the entries of functions that hold a hit (link-time addresses, ascending), or the byte
 * after one: hits are return addresses minus one, and a signal may have arrived at a function's
 * first instruction. Hits for which nothing was found stay in `hits`, in order; *count is their
 * number. 0, -ENOMEM.
 */
int unwind_pick_hit(const struct unwind_section_view *section, uint64_t *hits, size_t *count,
		    struct unwind_pieces *pieces);

#endif
