/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A call chain in two words: the kernel function that says where a thread slept or whom it woke, and in brackets the
 * function of the program that led there: "pipe_read (produce)". Leaf-most frames that every wait or every wakeup has
 * (schedule, try_to_wake_up ...) say nothing and are passed over, and so are the C library's and the loader's.
 * Where all frames are such, the kernel's entry is the word, and else the leaf.
 *
 * A thread that an interrupt preempted slept where that came upon it; to whom an interrupt woke, that place means nothing.
 */
#ifndef RWALKER_REPORT_VIEW_PLACE_H
#define RWALKER_REPORT_VIEW_PLACE_H

#include "report/view/functions.h"

struct place { /* functions, or with addresses or offsets frames; 0: no such frame */
	uint32_t kernel, user;
};

struct places {
	struct functions *functions;
	struct frame_style style;
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	const struct profile_module *modules;
	size_t node_count, module_count;
	struct known_place {
		struct place place;
		bool known, timer;
	} *known; /* by node */
};

/* Of `style`, addresses and offsets make places differ that are one function. */
int places_init(struct places *places, struct profile *profile, struct functions *functions, struct frame_style style);
void places_deinit(struct places *places);

/* -EBADMSG for a chain that contradicts the profile. `timer`: the chain of an interrupt in which a timer expired. */
int places_find(struct places *places, uint32_t node, struct place *ret_place, bool *ret_timer);

/* As they are written. */
int places_compare(const struct places *places, struct place left, struct place right);

/* Nothing where the place is empty. */
void place_write(const struct places *places, struct place place, FILE *out);

/* Whether a function of the kernel belongs to the wakeup itself, or to whoever looks on, and says nothing of why. */
bool place_is_wakeup(const char *function);

#endif
