/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Some names, or parts of names, that are searched for in a comm all at once: bit n of `found` says that the comm's
 * bytes up to here end with the first ones of the name whose byte n is (Baeza-Yates and Gonnet, A New Approach to Text
 * Searching, 1992). record/plan/filter.c fills it in; the BPF programs and its test run it.
 */
#ifndef RWALKER_BPF_COMM_NAMES_H
#define RWALKER_BPF_COMM_NAMES_H

#include <linux/types.h>

enum { COMM_BYTES = 16 }; /* with the NUL: TASK_COMM_LEN */

struct comm_names {
	__u64 begin;	     /* the first byte of each name that may be anywhere in a comm */
	__u64 begin_at_head; /* and of each that may only be at its beginning */
	__u64 end;	     /* the last byte of each; that of a name that must be at the end is the NUL */
	__u64 has[256];	     /* by byte: where it is */
};

static inline __attribute__((__always_inline__)) int
comm_names_match(const volatile struct comm_names *names, const char *comm)
{
	__u64 end = names->end, begin = names->begin, found = 0, matched = 0;

	for (int i = 0; i < COMM_BYTES; i++) {
		__u8 byte = i < COMM_BYTES - 1 ? (__u8)comm[i] : 0;

		found = (found & ~end) << 1 | begin | (i ? 0 : names->begin_at_head);
		found &= names->has[byte];
		matched |= found & end;
		if (!byte)
			break;
	}
	return matched != 0;
}

#endif
