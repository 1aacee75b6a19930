/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a wait was for, as text. All views append the same form to what they print about a wait: "in
 * read of pipe:866554", "on futex named_lock of redis-server 31630 (held by main 31630)", "on epoll
 * 12 of nginx → fd 7, tcp ...", "in poll of pipe:5, fd 4", "in poll → timeout", "sleep 33.0 ms",
 * "child 31771", "in munmap on mmap_lock of postgres 4711 (held by postgres 4713)", "in rename on
 * rwsem #3".
 */
#ifndef RWALKER_REPORT_VIEW_OBJECT_TEXT_H
#define RWALKER_REPORT_VIEW_OBJECT_TEXT_H

#include <stdio.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "report/profile/profile_objects.h"
#include "report/view/waits.h"

/* "pipe", "futex", "" */
const char *object_kind_name(unsigned int kind);
/* The kinds' names, for messages: "file, device, ...". */
extern const char object_kind_names[];
/* OBJECT_KINDS: there is no such kind. */
enum object_kind object_kind_find(const char *name);

/* Writes nothing if the object is not known. */
void object_write(FILE *out, const struct profile_object *object);
/* The same as a text that the caller frees. 0 or -ENOMEM. */
int object_to_text(const struct profile_object *object, char **ret_text);

/* Everything that the text of a wait depends on, within one profile; without padding. */
struct wait_text_key {
	uint64_t asked;
	uint32_t operation, object, held, owner, ready, ready_descriptor;
};

static inline struct wait_text_key wait_text_key_of(const struct profile_wait *wait)
{
	return (struct wait_text_key){
		.asked = wait->asked, .operation = wait->operation, .object = wait->object,
		.held = wait->held, .owner = wait->owner, .ready = wait->ready,
		.ready_descriptor = wait->ready_descriptor,
	};
}

/* Whether anything is known that its kernel stack does not already say. */
bool wait_has_object(const struct waits *waits, const struct profile_wait *wait);

/* Writes `before`, then what the wait was for; nothing if that is not known. */
void wait_write_object(FILE *out, const char *before, const struct waits *waits, const struct profile_wait *wait);
/* The text that wait_write_object() writes; NULL if nothing is known. The caller frees it. 0, -ENOMEM. */
int wait_object_text(const struct waits *waits, const struct profile_wait *wait, char **ret_text);

/*
 * Objects by their text: objects that read the same are one, also those of several recordings.
 * Texts are numbered when they are first asked for.
 */

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

/*
 * What the waits of a line were for, if a line represents many waits. The caller numbers its lines,
 * adds waits to them, and gets the objects of each, heaviest first. Objects that read the same are
 * one.
 */

/* What waits for the same object have in common: a wait without those details, such as the owner, that differ. */
struct object_alike {
	struct profile_wait wait;
	uint64_t least_asked, most_asked; /* of sleeps: the shortest and the longest; 0: not known */
	bool other_ends;		  /* the processes at the other end differ */
};

void object_alike_begin(struct object_alike *alike, const struct profile_wait *wait);
/* Adds a wait with the same key. Only what was ready is read from `key`. */
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
bool object_sum_is_known(const struct object_tally *tally, const struct object_sum *sum);

/* ", in read of pipe:5", ", 60.00% of it in read of pipe:5, and 3 others"; nothing if nothing is known. */
void object_tally_write(const struct object_tally *tally, uint32_t line, FILE *out);

#endif
