/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which bytes of a section with call frame information the trace needs: all entries, or the FDEs
 * of the functions that were hit, each with its CIE. Pieces ascend, do not overlap, and hold whole
 * entries, so that losing one piece leaves the others readable; only an entry larger than the
 * limit of a piece is cut. One pass over the section, in time and memory bounded by its size. A
 * section that is malformed somewhere ends there.
 */
#ifndef RWALKER_RECORD_PICK_UNWIND_PICK_H
#define RWALKER_RECORD_PICK_UNWIND_PICK_H

#include <stddef.h>
#include <stdint.h>

#include "common/array.h"
#include "common/elf/cfi_entry.h"

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
