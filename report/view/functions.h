/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Frames seen as functions: what views group by. A function is a symbol's name in a module's name, so the
 * same function in two builds of a library, or on two hosts, is one; the same name in two libraries is two, and
 * is then printed with its module: "init [libfoo.so]". Where it is inlined it is another function than where it is called.
 *
 * Names are looked up when first asked for, and made printable once. Whether a name is in several modules is known
 * once all functions that will be printed have been asked for: look up first, print then.
 */
#ifndef RWALKER_REPORT_VIEW_FUNCTIONS_H
#define RWALKER_REPORT_VIEW_FUNCTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/profile.h"

enum { FUNCTION_NONE = 0 }; /* of an empty call chain */

enum functions_mode {
	/* Each address without a symbol is a function of its own, "[libfoo.so]+0x1234". */
	FUNCTIONS_BY_ADDRESS,
	/* As above for callers, who must not be mistaken for each other; at leaves, "[libfoo.so]" is one. */
	FUNCTIONS_BY_LEAF,
	/* A function is its name alone, whatever its module; "[libfoo.so]" is one. */
	FUNCTIONS_BY_NAME,
};

struct functions;

/* `none` is the name of FUNCTION_NONE and outlives the functions. */
int functions_create(struct profile *profile, enum functions_mode mode, const char *none,
		     struct functions **ret_functions);
void functions_destroy(struct functions *functions);

int functions_find(struct functions *functions, uint32_t frame, uint32_t *ret_function);
/* The same for a node's frame; FUNCTION_NONE for the root. */
int functions_find_node(struct functions *functions, uint32_t node, uint32_t *ret_function);

/* By name, then module. */
int functions_compare(const struct functions *functions, uint32_t left, uint32_t right);

const char *functions_name(const struct functions *functions, uint32_t function); /* printable */
/* What stands behind the name where a frame is one word: "_[i]" for an inlined function, else "". */
const char *functions_mark(const struct functions *functions, uint32_t function);
void functions_write(const struct functions *functions, uint32_t function, FILE *out);

/*
 * How a frame is written: "name", "name+0x1f", "name+0x1f file.c:12", "0x55d0c0e01f name+0x1f [module] /src/file.c:12". What is
 * inlined has no offset and is marked: "name [inlined]".
 */
struct frame_style {
	bool addresses, offsets, lines;
};
/* The frame's function must have been found. */
void functions_write_frame(const struct functions *functions, uint32_t frame, struct frame_style style, FILE *out);

#endif
