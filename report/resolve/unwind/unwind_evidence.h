/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Evidence for or against a return address: the function that would return to it, judged by its
 * name and code, and the call before the address. Included by the unwinder only.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_EVIDENCE_H
#define RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_EVIDENCE_H

#include "report/resolve/unwind/unwind_walk.h"

enum unwind_record {
	RECORD_UNKNOWN,
	RECORD_KEPT,	 /* the function's first instructions set the frame pointer to its frame record */
	RECORD_NOT_KEPT, /* the instructions up to its pc do not */
};

struct unwind_function { /* the function of a frame */
	uint64_t start; /* 0: not known */
	uint64_t pc;	/* an address in it */
	enum unwind_named_kind kind;
	enum unwind_record record;
	bool code; /* its code is available */
};

enum unwind_evidence { /* the worst first */
	EVIDENCE_NO_CALL, /* no call ends there */
	EVIDENCE_OTHER,	  /* a call of another function, which does not jump into this one */
	EVIDENCE_UNKNOWN, /* the code is not available */
	EVIDENCE_MAYBE,	  /* an indirect call */
	EVIDENCE_CALL,	  /* a call of this function */
};

void unwind_find_function(const struct unwind_walk *walk, const struct unwind_frame *frame,
			  struct unwind_function *ret_function);
enum unwind_evidence unwind_judge(const struct unwind_walk *walk, uint64_t address,
				  const struct unwind_function *callee);

/* Whether the frame has no caller because a process or thread begins in it. */
bool unwind_is_first(const struct unwind_frame *frame, const struct unwind_function *function);
/* Whether the frame is about to return. */
bool unwind_returns(const struct unwind_walk *walk, const struct unwind_frame *frame);

enum unwind_trial { TRIAL_REFUTED, TRIAL_OPEN, TRIAL_PROVEN };

/*
 * Walks on from a guessed frame. The guess is refuted if a caller turns up that could not have made
 * the call; it is proven if the walk reaches the start of a thread, or the end of the copied stack.
 * Any other stop proves nothing.
 */
enum unwind_trial unwind_try(struct unwind_walk *walk, const struct unwind_frame *guess);

#endif
