/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The objects whose names have been written in the last second or two. A slot has room for a few tokens, not just one:
 * if two objects that take turns evicted each other, both would be read each time, and beside
 * another recorder, ours would never be read, because the kernel lets only one of them look at
 * mappings at a time.
 */
#ifndef RWALKER_BPF_OBJECT_TOLD_H
#define RWALKER_BPF_OBJECT_TOLD_H

#include "bpf/kernel_files.bpf.h"

enum { TOLD_SETS = 256, TOLD_IN_SET = 4 };

struct told_names {
	u64 tokens[TOLD_IN_SET]; /* the one that was written last comes first */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TOLD_SETS);
	__type(key, u32);
	__type(value, struct told_names);
} object_names SEC(".maps");

__u64 names_forgotten; /* how often the recorder has forgotten all names and needed them again */

static __always_inline u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* The lowest bit of a token is always set. */
static __always_inline struct told_names *told_names(u64 token)
{
	u32 place = token >> 1 & (TOLD_SETS - 1);

	return bpf_map_lookup_elem(&object_names, &place);
}

/*
 * Once the recorder has forgotten the names, each token counts as a new one; the old ones are
 * evicted as others come. So it does after a second or two, at another moment for each token: a
 * folder may be renamed, and another file mapped at the same place.
 */
static __always_inline u64 remembered(u64 token)
{
	u64 age = bpf_jiffies64() + (token >> 32 & 0xffff);

	return token + 2 * (*(volatile __u64 *)&names_forgotten + (object_knobs.on ? age >> object_knobs.age_bits : 0));
}

static __always_inline bool name_is_told(u64 token)
{
	const struct told_names *told = told_names(token);

	token = remembered(token);
	return told && (told->tokens[0] == token || told->tokens[1] == token || told->tokens[2] == token ||
			told->tokens[3] == token);
}

static __always_inline void note_told(u64 token)
{
	struct told_names *told = told_names(token);

	if (!told)
		return;
	token = remembered(token);
	told->tokens[3] = told->tokens[2];
	told->tokens[2] = told->tokens[1];
	told->tokens[1] = told->tokens[0];
	told->tokens[0] = token;
}

#endif
