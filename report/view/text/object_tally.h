/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the waits of a line were for, if a line represents many waits. The caller numbers its lines,
 * adds waits to them, and gets the objects of each, heaviest first. Objects that read the same are
 * one.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_OBJECT_TALLY_H
#define RWALKER_REPORT_VIEW_TEXT_OBJECT_TALLY_H

#include <stdio.h>

#include "report/view/text/object_texts.h"

/* What waits for the same object have in common: a wait without those details, such as the owner, that differ. */
struct object_alike {
	struct profile_wait wait;
	uint64_t least_asked, most_asked; /* of sleeps: the shortest and the longest; 0: not known */
	bool other_ends;		  /* the processes at the other end differ */
};

void object_alike_begin(struct object_alike *alike, const struct profile_wait *wait);
/* Adds a wait with the same key (object_texts.h). Only what was ready is read from `key`. */
void object_alike_add(struct object_alike *alike, const struct waits *waits, const struct profile_wait *wait,
		      const struct object_key *key);
/* Like wait_write_object(). */
void object_alike_write(FILE *out, const char *before, const struct waits *waits,
			const struct object_alike *alike);

struct object_sum {
	uint32_t line, text; /* text: of the object; OBJECT_NO_TEXT if that is not known */
	struct object_alike alike;
	uint64_t weight;
};

struct object_tally {
	const struct waits *waits;
	struct object_texts texts;
	struct hash_map known;
	ARRAY(struct object_sum) sums;
};

/* `waits` must outlive it. 0, -ENOMEM. Deinitialize it in any case. */
int object_tally_init(struct object_tally *tally, const struct waits *waits);
void object_tally_deinit(struct object_tally *tally);
/* Forgets all lines. */
void object_tally_clear(struct object_tally *tally);

/* 0, -ENOMEM. */
int object_tally_add(struct object_tally *tally, uint32_t line, const struct profile_wait *wait,
		     uint64_t weight);
/* To be called after the last wait was added. Sorts by line, weight, text. */
void object_tally_finish(struct object_tally *tally);

/* The sums of a line; those whose object is not known are last. */
size_t object_tally_find(const struct object_tally *tally, uint32_t line,
			 const struct object_sum **ret_first);
/* Whether it is known what these waits were for. */
bool object_sum_says(const struct object_tally *tally, const struct object_sum *sum);

/* ", in read of pipe:5", ", 60.00% of it in read of pipe:5, and 3 others"; nothing if nothing is known. */
void object_tally_write(const struct object_tally *tally, uint32_t line, FILE *out);

#endif
