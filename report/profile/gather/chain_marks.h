/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Notes about an unwound chain: how it ended, and where its callers were found in another way. In
 * the profile these are notes, frames that are not code; in the stacks of a condensed trace they
 * are marks (format/stack_mark.h). Both have the same places in a chain, so both give the same
 * reports.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_CHAIN_MARKS_H
#define RWALKER_REPORT_PROFILE_GATHER_CHAIN_MARKS_H

#include "report/profile/tables/profile_internal.h"
#include "report/resolve/unwind/unwinder.h"

struct chain_verdict { /* for the path to a node; all 0: not unwound */
	bool unwound, tail, caller_unknown;
	uint8_t end; /* enum profile_note; NOTE_NONE: clean */
};

struct chain_verdict chain_judge(const struct unwind_chain *chain);
void chain_count(struct profile_quality *quality, const struct chain_verdict *verdict);

/* Whether callers by frame pointers follow the walk's last frame. */
bool chain_has_tail(const struct unwind_chain *chain);
/* The note at the chain's root; the note between frame `i`, not the leaf, and its callee. */
enum profile_note chain_root_note(const struct unwind_chain *chain);
enum profile_note chain_note_below(const struct unwind_chain *chain, size_t i);
/* Whether the frame's address is a return address. */
bool chain_is_caller(const struct unwind_chain *chain, size_t i);

/* Adds the note below *node and sets *node to it; NOTE_NONE changes nothing. -ENOMEM. */
int chain_add_note(struct profile *profile, enum profile_note note, uint32_t *node);

/* Updates the state of the parent's path to that of the path with the mark. Returns the note for the mark. */
enum profile_note chain_read_mark(enum stack_mark mark, struct chain_verdict *verdict);

/*
 * Writes the chain as a stack with marks, leaf first. Returns the number of nodes. If it exceeds
 * the limit of a path, the root end is left out, and MARK_TOO_DEEP and *ret_cut say so.
 */
size_t chain_write_marks(const struct unwind_chain *chain, uint64_t nodes[static RWK_MAX_PATH],
			 bool *ret_cut);

#endif
