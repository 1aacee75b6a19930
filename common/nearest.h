/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Of many names the one most like a word that somebody mistyped. */
#ifndef RWALKER_COMMON_NEAREST_H
#define RWALKER_COMMON_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;
	size_t length; /* of the word */
	size_t least;  /* edits (insert, delete, replace) to the best name so far */
	const char *name; /* the best one, NULL: none is near; the caller's */
};

struct nearest nearest_begin(const char *word, size_t length);
/* A name that begins with the word is the best; of equally good ones the first stays. */
void nearest_try(struct nearest *nearest, const char *name);

#endif
