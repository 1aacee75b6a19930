/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names of block devices as in /proc/partitions: "vda", "sda1", "dm-0". Memory is fixed. The file
 * is read at the start, and again when a caller asks for a device that it did not have, at most ten
 * times a second.
 */
#ifndef RWALKER_RECORD_SOURCE_WAIT_OBJECTS_H
#define RWALKER_RECORD_SOURCE_WAIT_OBJECTS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

struct block_devices;
struct event_wait;
struct recording;
struct ring_beside;
struct ring_name;
struct ring_object;
struct ring_throttle;
struct wait_objects;

/* 0, -ENOMEM. If the file cannot be read, no device has a name. */

/* Adds the devices in a part of the file. Returns how much of it was whole lines. */

/* device: as in stat(2). NULL if unknown. Valid until the next call. */

/*
 * What waits were for. Each object gets a number, by which waits refer to it. It is written to the
 * trace, with its name in a chunk of its own; and again if the name was not known at first. What
 * the programs read is compared as a whole, so a socket with a new connection, or a file that was
 * renamed, is another object. Memory is fixed: a full table is emptied, and objects that are seen
 * again get new numbers. Locks are identified by their address in the kernel's memory: a lock that
 * is made in the place of another gets the same number.
 */

/* 0, -ENOMEM. */
int wait_objects_create(struct recording *recording, struct wait_objects **ret_objects);
void wait_objects_destroy(struct wait_objects *objects);

/*
 * forgotten: a number that the programs read. It is increased when all names are forgotten; the
 * programs then write them once more. To be called at most twice; the number must be valid as long
 * as the objects.
 */
void wait_objects_share(struct wait_objects *objects, __u64 *forgotten);

/* A name. It comes before the first wait for its object, except for some futexes. */
void wait_objects_name(struct wait_objects *objects, const struct ring_name *name);
/* Sets the wait's call, object and asked. */
void wait_objects_take(struct wait_objects *objects, const struct ring_object *raw, struct event_wait *wait);
/* Sets what came beside the object: whether it has an owner, and which descriptor was ready. */
void wait_objects_beside(struct wait_objects *objects, const struct ring_beside *raw, struct event_wait *wait);
/* Sets the wait's throttler. */
void wait_objects_throttler(struct wait_objects *objects, const struct ring_throttle *raw, struct event_wait *wait);

#endif
