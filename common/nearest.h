/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Finds the name that is closest to a mistyped word. */
#ifndef RWALKER_COMMON_NEAREST_H
#define RWALKER_COMMON_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;
	size_t length; /* of the word */
	size_t least;  /* edits (insert, delete, replace) between the word and the best name so far */
	const char *name; /* the best one, owned by the caller; NULL: none is near */
};

struct nearest nearest_begin(const char *word, size_t length);
/* A name that begins with the word is best; among equally good ones the first wins. */
void nearest_try(struct nearest *nearest, const char *name);

#endif
