/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A regular expression on a comm as a table: a deterministic automaton over byte classes, made by record/comm_regex.c,
 * run here by the BPF programs and, from the same source, by the recorder. Includes nothing; whoever
 * includes it has __u8 and __u32.
 *
 * Class 0 is the end of the comm. States 0 (no match) and 1 (match) lead to themselves for every class, all others lead
 * to one of these two at the end, so that what stands behind the NUL is never asked.
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

/* comm has COMM_REGEX_BYTES bytes. The mask changes nothing in a table as it is made; it is what the verifier wants to see. */
static inline __attribute__((__always_inline__)) int comm_regex_table_match(const volatile struct comm_regex_table *table,
									      const char *comm)
{
	__u32 state = table->start;

	for (int i = 0; i < COMM_REGEX_BYTES; i++) {
		__u8 byte = i < COMM_REGEX_BYTES - 1 ? (__u8)comm[i] : 0;

		state = table->next[(state * table->classes + table->class_of[byte]) & (COMM_REGEX_CELLS - 1)];
	}
	return state == COMM_REGEX_MATCH;
}

#endif
