/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What is to be said of a chain that was unwound: how it ended, where its callers were found in another way. In the profile
 * these are notes, frames that are no code; in the stacks of a condensed trace they are marks (format/stack_mark.h). Both stand
 * at the same places of a chain, so that a report says the same of either.
 */
#ifndef RWALKER_REPORT_PROFILE_MARKS_H
#define RWALKER_REPORT_PROFILE_MARKS_H

#include "report/profile_internal.h"
#include "report/resolve/unwinder.h"

struct chain_verdict { /* on the path to a node; all 0: not unwound */
	bool unwound, tail, guessed;
	uint8_t end; /* enum profile_note; NOTE_NONE: clean */
};

struct chain_verdict chain_judge(const struct unwind_chain *chain);
void chain_count(struct profile_quality *quality, const struct chain_verdict *verdict);

/* At the chain's root; between frame `i`, not the leaf, and the one that it called. */
enum profile_note chain_root_note(const struct unwind_chain *chain);
enum profile_note chain_note_below(const struct unwind_chain *chain, size_t i);
/* Whether the frame's address is a return address. */
bool chain_is_caller(const struct unwind_chain *chain, size_t i);

/* Puts the note below *node, which becomes its; NOTE_NONE changes nothing. -ENOMEM. */
int chain_add_note(struct profile *profile, enum profile_note note, uint32_t *node);

/* What a mark adds to what its parent's path says, and the note that stands for it. */
enum profile_note chain_read_mark(enum stack_mark mark, struct chain_verdict *verdict);

/*
 * The chain as a stack with marks, leaf first; returns how many nodes. Where they would be more than a path may have, the
 * root end is left out, which MARK_TOO_DEEP and *ret_cut say.
 */
size_t chain_write_marks(const struct unwind_chain *chain, uint64_t nodes[static RWK_MAX_PATH], bool *ret_cut);

#endif
