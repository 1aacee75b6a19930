/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/comm_regex.h"

#include <errno.h>
#include <string.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "record/plan/comm_regex_internal.h"

/* The subset construction: a state of the table is a set of waiting states of the automaton. */
enum { TABLE_MAX_STATES = 256, STATE_NO_MATCH = 0, STATE_START = 2 };

struct table_builder {
	const struct comm_regex_nfa *nfa;
	struct comm_regex_table *table;
	ARRAY(struct nfa_position) positions; /* of the states from STATE_START on */
	struct hash_map known;		      /* bytes of a position's set -> state */
	uint8_t byte_of[256];		      /* one byte of each class */
};

static void table_builder_deinit(struct table_builder *builder)
{
	array_free(&builder->positions);
	hash_map_deinit(&builder->known);
}

/* Splits each class into bytes in the set and bytes not in it. */
static void split_classes(struct comm_regex_table *table, const struct byte_set *set)
{
	bool has_some[256] = {0}, lacks_some[256] = {0};

	for (int byte = 1; byte < 256; byte++) {
		bool has = byte_set_has(set, (uint8_t)byte);

		has_some[table->class_of[byte]] |= has;
		lacks_some[table->class_of[byte]] |= !has;
	}
	for (int class = (int)table->classes - 1; class > 0; class--) {
		if (!has_some[class] || !lacks_some[class])
			continue;
		for (int byte = 1; byte < 256; byte++)
			if (table->class_of[byte] == class && byte_set_has(set, (uint8_t)byte))
				table->class_of[byte] = (uint8_t)table->classes;
		table->classes++;
	}
}

/* Classes of bytes that no state of the automaton distinguishes; class 0 is the end. */
static void make_classes(struct table_builder *builder)
{
	struct comm_regex_table *table = builder->table;

	table->classes = 2;
	memset(table->class_of + 1, 1, sizeof(table->class_of) - 1);
	for (size_t i = 0; i < builder->nfa->states.count; i++)
		if (builder->nfa->states.items[i].kind == NFA_BYTES)
			split_classes(table, &builder->nfa->states.items[i].set);
	for (int byte = 1; byte < 256; byte++)
		builder->byte_of[table->class_of[byte]] = (uint8_t)byte;
}

static bool waits_for_nothing(const struct nfa_position *position)
{
	static const struct nfa_position none;

	return !memcmp(position->waiting, none.waiting, sizeof(none.waiting));
}

/* The table's state for a position; created if it is new. */
static int state_of(struct table_builder *builder, const struct nfa_position *position, uint32_t *ret_state)
{
	uint64_t fresh = builder->positions.count + STATE_START, *state;
	int r;

	if (position->matched || waits_for_nothing(position)) {
		*ret_state = position->matched ? COMM_REGEX_MATCH : STATE_NO_MATCH;
		return 0;
	}
	/* The first one must not be found again: it alone is at the beginning. */
	if (fresh > STATE_START) {
		r = hash_map_add(&builder->known, position->waiting, sizeof(position->waiting), fresh, &state);
		if (r <= 0) {
			if (!r)
				*ret_state = (uint32_t)*state;
			return r;
		}
	}
	if (fresh >= TABLE_MAX_STATES || (fresh + 1) * builder->table->classes > COMM_REGEX_CELLS)
		return -E2BIG;
	*ret_state = (uint32_t)fresh;
	return array_push(&builder->positions, *position);
}

/* Where each class leads from the i-th position. */
static int make_row(struct table_builder *builder, size_t i)
{
	struct comm_regex_table *table = builder->table;
	uint8_t *row = table->next + (i + STATE_START) * table->classes;

	row[0] = nfa_position_end(builder->nfa, &builder->positions.items[i], i == 0) ?
			 COMM_REGEX_MATCH :
			 STATE_NO_MATCH;
	for (uint32_t class = 1; class < table->classes; class++) {
		struct nfa_position position;
		uint32_t state;
		int r;

		nfa_position_step(builder->nfa, &builder->positions.items[i], builder->byte_of[class], &position);
		r = state_of(builder, &position, &state);
		if (r < 0)
			return r;
		row[class] = (uint8_t)state;
	}
	return 0;
}

static int make_table(struct table_builder *builder)
{
	struct comm_regex_table *table = builder->table;
	struct nfa_position start;
	int r = hash_map_init(&builder->known);

	if (r < 0)
		return r;
	make_classes(builder);
	memset(table->next + table->classes, COMM_REGEX_MATCH, table->classes);
	nfa_position_start(builder->nfa, &start);
	r = state_of(builder, &start, &table->start);
	for (size_t i = 0; !r && i < builder->positions.count; i++)
		r = make_row(builder, i);
	return r;
}

int comm_regex_nfa_table(const struct comm_regex_nfa *nfa, struct comm_regex_table *ret_table)
{
	struct comm_regex_table table = {0};
	struct table_builder builder = {.nfa = nfa, .table = &table};
	int r = make_table(&builder);

	table_builder_deinit(&builder);
	if (!r)
		*ret_table = table;
	return r;
}

static int make_nfa(const char *pattern, struct comm_regex_nfa **ret_nfa)
{
	struct regex_tree tree;
	int r = regex_tree_parse(pattern, &tree);

	if (r < 0)
		return r;
	r = comm_regex_nfa_create(&tree, ret_nfa);
	regex_tree_deinit(&tree);
	if (r == -E2BIG)
		return log_error(E2BIG, "-c '%s' is too large to be matched: use smaller intervals", pattern);
	return r;
}

int comm_regex_init(struct comm_regex *regex, const char *pattern)
{
	struct comm_regex made = {0};
	int r = make_nfa(pattern, &made.nfa);

	if (r < 0)
		return r;
	r = comm_regex_nfa_table(made.nfa, &made.table);
	if (r < 0 && r != -E2BIG) {
		comm_regex_deinit(&made);
		return r;
	}
	made.fits = !r;
	*regex = made;
	return 0;
}

void comm_regex_deinit(struct comm_regex *regex)
{
	comm_regex_nfa_destroy(regex->nfa);
	*regex = (struct comm_regex){0};
}

static bool nfa_matches(const struct comm_regex_nfa *nfa, const char *comm)
{
	struct nfa_position position, next;
	int i = 0;

	for (nfa_position_start(nfa, &position); i < COMM_REGEX_BYTES - 1 && comm[i] && !position.matched; i++) {
		nfa_position_step(nfa, &position, (uint8_t)comm[i], &next);
		position = next;
	}
	return position.matched || nfa_position_end(nfa, &position, i == 0);
}

bool comm_regex_match(const struct comm_regex *regex, const char *comm)
{
	return regex->fits ? comm_regex_table_match(&regex->table, comm) : nfa_matches(regex->nfa, comm);
}
