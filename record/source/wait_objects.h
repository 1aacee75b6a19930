/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What waits were for: each object gets a number, by which waits refer to it, and is written to
 * the trace, with its name in a chunk of its own; once more, if the name was not known at first.
 * What the programs read is compared as a whole, so a socket with a new connection, or a file
 * that was renamed, is another object. Memory is fixed: when a table is full it is emptied, and
 * what is seen again gets a new number. Locks are told apart by where they are in the kernel's
 * memory: one that was made in the place of another has its number.
 */
#ifndef RWALKER_RECORD_SOURCE_WAIT_OBJECTS_H
#define RWALKER_RECORD_SOURCE_WAIT_OBJECTS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

struct event_wait;
struct recording;
struct ring_beside;
struct ring_name;
struct ring_object;
struct wait_objects;

/* -ENOMEM. */
int wait_objects_create(struct recording *recording, struct wait_objects **ret_objects);
void wait_objects_destroy(struct wait_objects *objects);

/*
 * A number that the programs read, increased when all names are forgotten: then they tell them once more. At most two,
 * which must be valid as long as the objects.
 */
void wait_objects_share(struct wait_objects *objects, __u64 *forgotten);

/* A name, which comes before the first wait for its object, but for some futexes'. */
void wait_objects_name(struct wait_objects *objects, const struct ring_name *name);
/* Sets the wait's call, object and asked. */
void wait_objects_take(struct wait_objects *objects, const struct ring_object *raw, struct event_wait *wait);
/* What came beside it: whether it has an owner, and which descriptor was ready. */
void wait_objects_beside(struct wait_objects *objects, const struct ring_beside *raw, struct event_wait *wait);

#endif
