/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The names of containers whose control groups are written to the trace: a helper is asked for
 * each, and what it answers becomes a CGROUP_NAME, in a chunk that can be dropped. Nobody waits
 * for it but the end of the recording, for a moment: a name that has not come by then is missing.
 */
#ifndef RWALKER_RECORD_CGROUP_CONTAINER_NAMES_H
#define RWALKER_RECORD_CGROUP_CONTAINER_NAMES_H

#include <stdint.h>

struct container;
struct container_names;
struct nursery;
struct recording;

/* -ENOMEM. */
int container_names_create(struct recording *recording, struct nursery *nursery, struct container_names **ret_names);
void container_names_destroy(struct container_names *names);

/* A control group with that path was written; asks if it is a container's. Does nothing without `names`. */
void container_names_ask(struct container_names *names, uint64_t cgroup, const char *path);
/* Writes what has been answered, and waits for more, if some is missing, for so long. */
void container_names_take(struct container_names *names, unsigned int budget_ms);

/* Asks for one and waits for the answer; `name` has CONTAINER_NAME bytes, "": it has none. */
void container_names_look_up(struct nursery *nursery, int *socket, const struct container *container, char *name);

#endif
