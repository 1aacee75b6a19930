/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a wait was for, as text. All views append the same form to what they print about a wait: "in
 * read of pipe:866554", "on futex named_lock of redis-server 31630 (held by main 31630)", "on epoll
 * 12 of nginx → fd 7, tcp ...", "in poll of pipe:5, fd 4", "in poll → timeout", "sleep 33.0 ms",
 * "child 31771", "in munmap on mmap_lock of postgres 4711 (held by postgres 4713)", "in rename on
 * rwsem #3".
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_OBJECT_TEXT_H
#define RWALKER_REPORT_VIEW_TEXT_OBJECT_TEXT_H

#include <stdio.h>

#include "report/profile/seam/profile_objects.h"
#include "report/view/look/waits.h"

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
/* The same for several waits like this one. other_ends: the processes at their other ends differ. */
void wait_write_alike(FILE *out, const char *before, const struct waits *waits, const struct profile_wait *wait,
		      bool other_ends);
/* The text that wait_write_object() writes; NULL if nothing is known. The caller frees it. 0, -ENOMEM. */
int wait_object_text(const struct waits *waits, const struct profile_wait *wait, char **ret_text);

#endif
