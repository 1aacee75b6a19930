/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One call chain as a list of frames, leaf first: the kernel part, then the user part. The memory
 * is reused from chain to chain.
 */
#ifndef RWALKER_REPORT_VIEW_FUNCTIONS_H
#define RWALKER_REPORT_VIEW_FUNCTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "common/array.h"
#include "report/profile/profile.h"

struct functions;

struct chain {
	ARRAY(uint32_t) frames;
	size_t kernel_count; /* the kernel's frames are first */
};

/* 0, -ENOMEM, -EBADMSG: the node is not in the profile. */
int chain_read(struct chain *chain, const struct profile *profile, uint32_t node);
void chain_deinit(struct chain *chain);

/*
 * Maps frames to functions, the unit by which views group. A function is identified by symbol name
 * and module name, so the same function in two builds of a library, or on two hosts, is one; the
 * same name in two libraries is two, and is then printed with its module: "init [libfoo.so]".
 * Inlined and called instances are different functions.
 *
 * If there is no symbol but the function's start is known, the start is its name:
 * "[libfoo.so]+0x1200".
 *
 * Names are looked up on first use, and made printable once. Whether several modules have a name is
 * only known after all functions to be printed have been looked up: look up first, then print.
 */

enum { FUNCTION_NONE = 0 }; /* for an empty call chain */

enum functions_mode {
	/* Each address outside of known functions is a function of its own, "[libfoo.so]+0x1234". */
	FUNCTIONS_BY_ADDRESS,
	/* As above for callers, which must stay distinct; at leaves, all of "[libfoo.so]" is one. */
	FUNCTIONS_BY_LEAF,
	/* A function is identified by its name only, whatever its module; all of "[libfoo.so]" is one. */
	FUNCTIONS_BY_NAME,
	/* By name and module; all of "[libfoo.so]" is one. */
	FUNCTIONS_BY_MODULE,
};

/* `none` is the name of FUNCTION_NONE and outlives the functions. */
int functions_create(struct profile *profile, enum functions_mode mode, const char *none,
		     struct functions **ret_functions);
void functions_destroy(struct functions *functions);

int functions_find(struct functions *functions, uint32_t frame, uint32_t *ret_function);
/* The function of a node's frame; FUNCTION_NONE for the root. */
int functions_find_node(struct functions *functions, uint32_t node, uint32_t *ret_function);

/* By name, then module. */
int functions_compare(const struct functions *functions, uint32_t left, uint32_t right);

const char *functions_name(const struct functions *functions, uint32_t function); /* printable */
/* "[libfoo.so]"; "" if there is none, or it is in the name. */
const char *functions_module(const struct functions *functions, uint32_t function);
/* " [inlined]" for an inlined function, else "": what follows the name in text for people. */
const char *functions_inlined(const struct functions *functions, uint32_t function);
/* Suffix of the name if a frame is one word: "_[i]" for an inlined function, else "". */
const char *functions_mark(const struct functions *functions, uint32_t function);
void functions_write(const struct functions *functions, uint32_t function, FILE *out);

/*
 * Formats of a frame: "name", "name+0x1f", "name+0x1f file.c:12", "0x55d0c0e01f name+0x1f [module]
 * /src/file.c:12". Inlined functions have no offset and are marked: "name [inlined]".
 */
struct frame_style {
	bool addresses, offsets, lines;
};
/* The frame's function must have been looked up. */
void functions_write_frame(const struct functions *functions, uint32_t frame,
			   struct frame_style style, FILE *out);

/*
 * Finds call chains of a profile that read the same even if their addresses differ: each node is
 * mapped to the first node whose chain consists of the same functions (or, by frame, of the same
 * frames). Add the leaves of all chains first, then read; adding a leaf twice costs nothing.
 */

struct readings {
	const struct profile_node *nodes;
	uint32_t *as; /* by node; for added nodes and their ancestors */
	size_t count;
	const struct profile_frame *frames;
	size_t frame_count;
	bool kernel_only; /* set before reading: chains whose kernel parts read the same are equal */
};

int readings_init(struct readings *readings, const struct profile *profile);
void readings_deinit(struct readings *readings);

int readings_want(struct readings *readings, uint32_t node);

/*
 * Also looks up the functions. If frames are printed with addresses or offsets, chains that differ
 * in these read differently.
 */
int readings_read(struct readings *readings, struct functions *functions, struct frame_style style);

#endif
