/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The users of processes that make code at run time, and where they write its names, asked for while the processes
 * live: a file that such a process leaves behind counts only if it belongs to that user. Fixed memory; the
 * latest are kept.
 */
#ifndef RWALKER_RECORD_PLACE_JIT_OWNERS_H
#define RWALKER_RECORD_PLACE_JIT_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/helper/opener_helper.h"

enum { JIT_OWNERS = 1024 };

struct jit_owners {
	struct jit_owner {
		uint32_t tgid;
		uint64_t asked; /* CLOCK_MONOTONIC ns */
		struct opener_owner owner;
		bool initial;	 /* it had such memory before the recording */
		uint64_t settled; /* bytes of its perf map by the first answer */
		int tmp_plus_1; /* a descriptor of its /tmp; 0: that is ours */
	} table[JIT_OWNERS];
	uint32_t count; /* of all that were ever added */
};

/*
 * The process has mapped memory for such code. Returns whether to ask for its user now: not if
 * that was done within the last second. Later it is asked for again, because the process may have
 * changed its user, or the tgid may be another process's.
 */
bool jit_owners_note(struct jit_owners *owners, uint32_t tgid, bool initial, uint64_t now);
/* Stores the answer and takes over the descriptor of its /tmp (-1: none); ignored if the process is no longer kept. */
void jit_owners_set(struct jit_owners *owners, uint32_t tgid, const struct opener_owner *owner, int tmp);
/* Bytes of its perf map at the start of the recording; 0: it began to make code later, or that is not known. */
uint64_t jit_owners_settled(const struct jit_owners *owners, uint32_t tgid);
/* -1: it is ours, or not known. */
int jit_owners_tmp(const struct jit_owners *owners, uint32_t tgid);
/* All zero if it is not known. */
struct opener_owner jit_owners_find(const struct jit_owners *owners, uint32_t tgid);

#endif
