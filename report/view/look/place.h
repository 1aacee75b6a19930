/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A call chain in two words: the kernel function where a thread slept or called for a wakeup, and
 * in brackets the program's function that led to it: "pipe_read (produce)". Leaf-most frames
 * that every wait or every wakeup has (schedule, try_to_wake_up ...) are skipped because they carry
 * no information, and so are those of the C library and the loader. If all frames are like that,
 * the word is the kernel's entry function if there is one, else the leaf.
 *
 * The place of a thread preempted by an interrupt is where it was interrupted; that place means
 * nothing to a thread that an interrupt woke.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_PLACE_H
#define RWALKER_REPORT_VIEW_LOOK_PLACE_H

#include "report/view/look/functions.h"

struct place { /* functions, or frames if addresses or offsets are shown; 0: no such frame */
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
	uint8_t *parts; /* by function: its enum part, plus 1; 0: not known yet */
};

/* With addresses or offsets in `style`, places within one function differ. */
int places_init(struct places *places, struct profile *profile, struct functions *functions,
		struct frame_style style);
void places_deinit(struct places *places);

/* -EBADMSG: the chain contradicts the profile. *ret_timer: a timer expired in the interrupt that the chain is of. */
int places_find(struct places *places, uint32_t node, struct place *ret_place, bool *ret_timer);

/*
 * The functions of the program that called place.user, the nearest first: those that have a name and are not of the C
 * library or the loader. The rest of `callers` is set to 0. -EBADMSG.
 */
enum { PLACE_CALLERS = 3 };
int places_find_callers(const struct places *places, uint32_t node, uint32_t callers[PLACE_CALLERS]);

/* Compares places as they are printed. */
int places_compare(const struct places *places, struct place left, struct place right);

/* Writes nothing if the place is empty. */
void place_write(const struct places *places, struct place place, FILE *out);

/* Whether a kernel function is part of the wakeup itself or of a tracer, and so says nothing about the reason. */
bool place_is_wakeup(const char *function);

#endif
