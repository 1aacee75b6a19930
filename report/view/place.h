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
#ifndef RWALKER_REPORT_VIEW_PLACE_H
#define RWALKER_REPORT_VIEW_PLACE_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/functions.h"
#include "report/view/view.h"

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

/* Compares places as they are printed. */
int places_compare(const struct places *places, struct place left, struct place right);

/* Writes nothing if the place is empty, else `before` first. */
void place_write(const struct places *places, const char *before, struct place place, FILE *out);

/* Whether a kernel function is part of the wakeup itself or of a tracer, and so says nothing about the reason. */
bool place_is_wakeup(const char *function);

/*
 * The threads whose one wait lasted throughout (profile_waits.h), grouped by their process's name, the place where
 * they waited, and who called that: "8 postgres in do_epoll_wait (WaitLatch < ProcSleep), 2 sshd in do_poll". The
 * largest group comes first. Callers are printed where they tell two groups apart.
 */

struct throughout_group { /* without padding */
	char comm[16]; /* of the process */
	struct place at;
	uint32_t callers[PLACE_CALLERS];
	uint32_t threads;
};

struct throughout {
	const struct profile *profile;
	struct places *places;
	ARRAY(struct throughout_group) groups;
	struct hash_map known; /* a group with 0 threads -> its number */
	size_t threads;
};

/* `places` must outlive it. 0, -ENOMEM. */
int throughout_init(struct throughout *throughout, const struct profile *profile, struct places *places);
void throughout_deinit(struct throughout *throughout);

/* 0, -ENOMEM, -EBADMSG. */
int throughout_add(struct throughout *throughout, const struct profile_wait *wait);

/* Sorts the groups and writes the first `most`; nothing can be added afterwards. */
void throughout_write(struct throughout *throughout, size_t most, FILE *out);

/* Below a view: what the profile set apart, as comments. 0, -ENOMEM, -EBADMSG. */
int throughout_comment(const struct view_context *context);

#endif
