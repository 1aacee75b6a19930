/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The two parts of an event's call chain, and what the account says about their quality. Every kind
 * of event uses this: samples, waits and walked tasks differ only in where their records keep the
 * data.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_STACK_PARTS_H
#define RWALKER_REPORT_PROFILE_GATHER_STACK_PARTS_H

#include "report/profile/gather/chain.h"

struct user_part {
	uint32_t node; /* of the profile; 0: none */
	bool unwound;  /* from a snapshot: what the record says about the other stack does not matter */
};

/* What a record says about its user stack. */
struct user_record {
	bool truncated, missing;
	bool copied;	 /* by the recorder while the thread slept */
	uint64_t reason; /* why it is missing, enum user_missing */
};

/* Finds the user part by frame pointers (`leaf`) and snapshot, like chain_user_of(). None if user parts are hidden. */
int stack_user(const struct chain_context *context, uint32_t process, uint32_t leaf, uint32_t snapshot,
	       struct user_part *ret_part);

/*
 * Puts the kernel part on top of node `base`, unless there is none or kernel parts are hidden.
 * `strip`: BPF frames at the leaf belong to the recorder, down to the function `traced` if that is
 * not NULL.
 */
int stack_kernel(struct chain_context *context, uint32_t base, uint32_t leaf, bool strip, const char *traced,
		 uint32_t *ret_node);

/* Counts what is cut or missing; call once per event. Returns enum profile_chain_flag; *ret_why may be NULL. */
uint32_t stack_user_flags(struct profile *profile, const struct user_record *record, bool unwound,
			  enum missing_user *ret_why);
uint32_t stack_kernel_flags(struct profile *profile, bool truncated);

#endif
