/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Objects by their text: objects that read the same are one, also those of several recordings.
 * Texts are numbered when they are first asked for.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_OBJECT_TEXTS_H
#define RWALKER_REPORT_VIEW_TEXT_OBJECT_TEXTS_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/look/waits.h"

enum { OBJECT_NO_TEXT = UINT32_MAX, OBJECT_TEXTS_FEW = 4096 };

struct object_texts {
	const struct waits *waits;
	struct hash_map known;
	ARRAY(char *) items;
	uint32_t *number_of; /* by object, plus 1; 0: not asked for yet */
};

/* `waits` must outlive it. Deinitialize it in any case. */
int object_texts_init(struct object_texts *texts, const struct waits *waits);
void object_texts_deinit(struct object_texts *texts);

/* Whether there are so few objects that sums may keep each apart; else they keep only their kinds apart. */
bool object_texts_are_few(const struct object_texts *texts);
/* OBJECT_NO_TEXT for object 0. 0, -ENOMEM. */
int object_texts_find(struct object_texts *texts, uint32_t object, uint32_t *ret_text);

/* Waits with equal keys are for the same object; without padding. */
struct object_key {
	uint32_t thing, operation;
	uint32_t ready, timed_out; /* what ended it, if that matters: else OBJECT_NO_TEXT, 0 */
};

/*
 * What ended a wait matters if the wait has no object, as poll and select for several descriptors,
 * or, for all waits, if `apart` is set. It does not matter if it was the object itself. 0, -ENOMEM.
 */
int object_texts_key(struct object_texts *texts, const struct profile_wait *wait, bool apart,
		     struct object_key *ret_key);
/* "" for OBJECT_NO_TEXT. */
const char *object_text(const struct object_texts *texts, uint32_t text);

#endif
