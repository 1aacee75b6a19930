/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Between the three steps of a comm regex: parse to a tree, tree to a nondeterministic automaton,
 * automaton to a table. Included by these only.
 */
#ifndef RWALKER_RECORD_PLAN_COMM_REGEX_INTERNAL_H
#define RWALKER_RECORD_PLAN_COMM_REGEX_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"
#include "record/plan/comm_regex.h"

struct byte_set {
	uint64_t bits[4];
};

static inline bool byte_set_has(const struct byte_set *set, uint8_t byte)
{
	return set->bits[byte / 64] >> (byte % 64) & 1;
}

static inline void byte_set_add(struct byte_set *set, uint8_t byte)
{
	set->bits[byte / 64] |= (uint64_t)1 << (byte % 64);
}

enum regex_kind {
	REGEX_EMPTY,
	REGEX_BYTES, /* one byte of the set */
	REGEX_BEGIN, /* ^ */
	REGEX_END,   /* $ */
	REGEX_CAT,   /* left, then right */
	REGEX_ALT,   /* left or right */
	REGEX_REPEAT /* left, min to max times */
};

enum {
	REGEX_MAX_PATTERN = 1024,
	REGEX_MAX_DEPTH = 64,	 /* of parentheses */
	REGEX_MAX_COUNT = 32767, /* RE_DUP_MAX of glibc */
	REGEX_MANY = COMM_REGEX_BYTES,
	REGEX_UNBOUNDED = -1,
};

struct regex_node {
	enum regex_kind kind;
	uint32_t left, right; /* numbers of nodes that were made before */
	int min, max;	      /* at most REGEX_MANY, or REGEX_UNBOUNDED */
	struct byte_set set;
};

struct regex_tree {
	ARRAY(struct regex_node) nodes;
	uint32_t root;
};

/* -EINVAL or -E2BIG, reported; -ENOMEM. */
int regex_tree_parse(const char *pattern, struct regex_tree *ret_tree);
void regex_tree_deinit(struct regex_tree *tree);

/* The table, or -E2BIG (not reported) if it would need too many cells or states. */
int comm_regex_nfa_table(const struct comm_regex_nfa *nfa, struct comm_regex_table *ret_table);

enum { NFA_MAX_STATES = 8192, NFA_WORDS = NFA_MAX_STATES / 64 };

enum nfa_kind {
	NFA_BYTES, /* continues at next with a byte of the set */
	NFA_SPLIT, /* continues at both without a byte */
	NFA_BEGIN, /* continues at the beginning only */
	NFA_END,   /* continues at the end only */
	NFA_MATCH,
};

struct nfa_state {
	enum nfa_kind kind;
	uint16_t next, other;
	struct byte_set set;
};

struct comm_regex_nfa {
	ARRAY(struct nfa_state) states;
	uint16_t start;
};

/* The states that wait for a byte or the end; `matched` replaces all others. */
struct nfa_position {
	uint64_t waiting[NFA_WORDS];
	bool matched;
};

int comm_regex_nfa_create(const struct regex_tree *tree, struct comm_regex_nfa **ret_nfa);
void comm_regex_nfa_destroy(struct comm_regex_nfa *nfa);

/* Before the first byte. */
void nfa_position_start(const struct comm_regex_nfa *nfa, struct nfa_position *ret_position);
/* After one more byte, at which the search may start again. */
void nfa_position_step(const struct comm_regex_nfa *nfa, const struct nfa_position *from, uint8_t byte,
		       struct nfa_position *ret_position);
/* Whether it matches if the comm ends here; is_empty: the comm had no bytes. */
bool nfa_position_end(const struct comm_regex_nfa *nfa, const struct nfa_position *position, bool is_empty);

#endif
