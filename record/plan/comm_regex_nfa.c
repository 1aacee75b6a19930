/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Thompson's construction (CACM 11:6, 1968) and the simulation of all paths at once, with anchors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/plan/comm_regex_internal.h"

/* "(){16}{16}{16}..." makes no state, but 16 times 16 times ... steps. */
enum { BUILD_MAX_STEPS = 64 * NFA_MAX_STATES };

struct builder {
	const struct regex_tree *tree;
	struct comm_regex_nfa *nfa;
	unsigned int steps;
};

static int add_state(struct builder *builder, const struct nfa_state *state, uint16_t *ret_state)
{
	int r = builder->nfa->states.count < NFA_MAX_STATES ? array_push(&builder->nfa->states, *state) : -E2BIG;

	if (r < 0)
		return r;
	*ret_state = (uint16_t)(builder->nfa->states.count - 1);
	return 0;
}

static int add_split(struct builder *builder, uint16_t next, uint16_t other, uint16_t *ret_state)
{
	return add_state(builder, &(struct nfa_state){.kind = NFA_SPLIT, .next = next, .other = other}, ret_state);
}

static int build(struct builder *builder, uint32_t number, uint16_t next, uint16_t *ret_entry);

/* Any number of times: a loop, entered at its split. */
static int build_loop(struct builder *builder, uint32_t body, uint16_t next, uint16_t *ret_entry)
{
	uint16_t split, entry;
	int r = add_split(builder, next, next, &split);

	if (!r)
		r = build(builder, body, split, &entry);
	if (r < 0)
		return r;
	builder->nfa->states.items[split].other = entry;
	*ret_entry = split;
	return 0;
}

/* Back to front: the optional repetitions, then the required ones. */
static int build_repeat(struct builder *builder, const struct regex_node *node, uint16_t next, uint16_t *ret_entry)
{
	uint16_t entry = next, body;
	int r = 0;

	if (node->max == REGEX_UNBOUNDED)
		r = build_loop(builder, node->left, next, &entry);
	for (int i = node->min; !r && i < node->max; i++) {
		r = build(builder, node->left, entry, &body);
		if (!r)
			r = add_split(builder, body, next, &entry);
	}
	for (int i = 0; !r && i < node->min; i++)
		r = build(builder, node->left, entry, &entry);
	if (!r)
		*ret_entry = entry;
	return r;
}

static int build_alternatives(struct builder *builder, const struct regex_node *node, uint16_t next,
			      uint16_t *ret_entry)
{
	uint16_t left, right;
	int r = build(builder, node->left, next, &left);

	if (!r)
		r = build(builder, node->right, next, &right);
	return r < 0 ? r : add_split(builder, left, right, ret_entry);
}

/*
 * The states of a part that continues at `next`. Recursion is as deep as the tree, which the
 * pattern's length bounds.
 */
static int build(struct builder *builder, uint32_t number, uint16_t next, uint16_t *ret_entry)
{
	const struct regex_node *node = &builder->tree->nodes.items[number];
	struct nfa_state state = {.next = next, .set = node->set};
	uint16_t right;
	int r;

	if (builder->steps++ > BUILD_MAX_STEPS)
		return -E2BIG;
	switch (node->kind) {
	case REGEX_EMPTY:
		*ret_entry = next;
		return 0;
	case REGEX_BYTES:
		state.kind = NFA_BYTES;
		return add_state(builder, &state, ret_entry);
	case REGEX_BEGIN:
		state.kind = NFA_BEGIN;
		return add_state(builder, &state, ret_entry);
	case REGEX_END:
		state.kind = NFA_END;
		return add_state(builder, &state, ret_entry);
	case REGEX_CAT:
		r = build(builder, node->right, next, &right);
		return r < 0 ? r : build(builder, node->left, right, ret_entry);
	case REGEX_ALT:
		return build_alternatives(builder, node, next, ret_entry);
	case REGEX_REPEAT:
		return build_repeat(builder, node, next, ret_entry);
	}
	return -EINVAL;
}

int comm_regex_nfa_create(const struct regex_tree *tree, struct comm_regex_nfa **ret_nfa)
{
	struct comm_regex_nfa *nfa = calloc(1, sizeof(*nfa));
	struct builder builder = {.tree = tree, .nfa = nfa};
	uint16_t match;
	int r;

	if (!nfa)
		return -ENOMEM;
	r = add_state(&builder, &(struct nfa_state){.kind = NFA_MATCH}, &match);
	if (!r)
		r = build(&builder, tree->root, match, &nfa->start);
	if (r < 0) {
		comm_regex_nfa_destroy(nfa);
		return r;
	}
	*ret_nfa = nfa;
	return 0;
}

void comm_regex_nfa_destroy(struct comm_regex_nfa *nfa)
{
	if (!nfa)
		return;
	array_free(&nfa->states);
	free(nfa);
}

/* --- simulation --- */

/* What can be reached without a byte. Each state is pushed once. */
struct closure {
	const struct comm_regex_nfa *nfa;
	bool at_begin, at_end;
	uint64_t seen[NFA_WORDS];
	uint16_t stack[NFA_MAX_STATES];
	size_t depth;
};

static void reach(struct closure *closure, uint16_t state)
{
	uint64_t bit = (uint64_t)1 << (state % 64);

	if (closure->seen[state / 64] & bit)
		return;
	closure->seen[state / 64] |= bit;
	closure->stack[closure->depth++] = state;
}

/* Processes the stack; states that wait are added to `position`. */
static void follow(struct closure *closure, struct nfa_position *position)
{
	while (closure->depth) {
		uint16_t number = closure->stack[--closure->depth];
		const struct nfa_state *state = &closure->nfa->states.items[number];

		if (state->kind == NFA_SPLIT) {
			reach(closure, state->next);
			reach(closure, state->other);
		} else if ((state->kind == NFA_BEGIN && closure->at_begin) ||
			   (state->kind == NFA_END && closure->at_end)) {
			reach(closure, state->next);
		} else if (state->kind == NFA_BYTES || state->kind == NFA_END) {
			position->waiting[number / 64] |= (uint64_t)1 << (number % 64);
		} else if (state->kind == NFA_MATCH) {
			position->matched = true;
		}
	}
}

/* The waiting states one by one: start with 0; -1 at the end. */
static int next_waiting(const struct nfa_position *position, int from)
{
	uint64_t mask = ~(uint64_t)0 << (from % 64);

	for (int word = from / 64; word < NFA_WORDS; word++, mask = ~(uint64_t)0)
		if (position->waiting[word] & mask)
			return word * 64 + __builtin_ctzll(position->waiting[word] & mask);
	return -1;
}

static void closure_init(struct closure *closure, const struct comm_regex_nfa *nfa)
{
	closure->nfa = nfa;
	closure->at_begin = closure->at_end = false;
	closure->depth = 0; /* the stack itself needs no zeros */
	memset(closure->seen, 0, sizeof(closure->seen));
}

void nfa_position_start(const struct comm_regex_nfa *nfa, struct nfa_position *ret_position)
{
	struct closure closure;

	closure_init(&closure, nfa);
	closure.at_begin = true;
	*ret_position = (struct nfa_position){0};
	reach(&closure, nfa->start);
	follow(&closure, ret_position);
}

void nfa_position_step(const struct comm_regex_nfa *nfa, const struct nfa_position *from, uint8_t byte,
		       struct nfa_position *ret_position)
{
	struct closure closure;

	closure_init(&closure, nfa);
	*ret_position = (struct nfa_position){.matched = from->matched};
	for (int at = next_waiting(from, 0); at >= 0; at = next_waiting(from, at + 1)) {
		const struct nfa_state *state = &nfa->states.items[at];

		if (state->kind == NFA_BYTES && byte_set_has(&state->set, byte))
			reach(&closure, state->next);
	}
	reach(&closure, nfa->start);
	follow(&closure, ret_position);
}

bool nfa_position_end(const struct comm_regex_nfa *nfa, const struct nfa_position *position, bool is_empty)
{
	struct nfa_position end = {.matched = position->matched};
	struct closure closure;

	closure_init(&closure, nfa);
	closure.at_begin = is_empty;
	closure.at_end = true;
	for (int at = next_waiting(position, 0); at >= 0; at = next_waiting(position, at + 1))
		reach(&closure, (uint16_t)at);
	follow(&closure, &end);
	return end.matched;
}
