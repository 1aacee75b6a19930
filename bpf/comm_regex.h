/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A regular expression on a comm as a table: a deterministic automaton over byte classes.
 * record/plan/comm_regex.c builds it; the BPF programs and, from the same source, the recorder run
 * it. Includes nothing: the including file provides __u8 and __u32.
 *
 * Class 0 is the end of the comm. States 0 (no match) and 1 (match) lead to themselves for every
 * class. At the end of the comm all other states lead to one of these two, so the bytes after the
 * NUL never matter.
 */
#ifndef RWALKER_BPF_COMM_REGEX_H
#define RWALKER_BPF_COMM_REGEX_H

enum {
	COMM_REGEX_BYTES = 16,	 /* a comm with its NUL: TASK_COMM_LEN */
	COMM_REGEX_CELLS = 8192, /* states times classes; a power of two */
	COMM_REGEX_MATCH = 1,
};

struct comm_regex_table {
	__u32 classes; /* how many; 0: the table was never filled, nothing matches */
	__u32 start;   /* the state before the first byte */
	__u8 class_of[256];
	__u8 next[COMM_REGEX_CELLS]; /* [state * classes + class] */
};

/*
 * comm has COMM_REGEX_BYTES bytes. The mask changes nothing in a table that was built properly; the
 * verifier needs it.
 */
static inline __attribute__((__always_inline__)) int
comm_regex_table_match(const volatile struct comm_regex_table *table, const char *comm)
{
	__u32 state = table->start;

	for (int i = 0; i < COMM_REGEX_BYTES; i++) {
		__u8 byte = i < COMM_REGEX_BYTES - 1 ? (__u8)comm[i] : 0;

		state = table->next[(state * table->classes + table->class_of[byte]) & (COMM_REGEX_CELLS - 1)];
	}
	return state == COMM_REGEX_MATCH;
}

#endif
