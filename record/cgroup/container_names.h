/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The names of containers whose control groups are written to the trace: a helper is asked for
 * each, and its answer becomes a CGROUP_NAME, in a chunk that can be dropped. Only the end of the
 * recording waits for answers, for a moment: a name that has not arrived by then is missing.
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

/* A control group with this path was written: asks for its name if it is a container's. NULL `names`: does nothing. */
void container_names_ask(struct container_names *names, uint64_t cgroup, const char *path);
/* Writes the names that have arrived. If some are missing, waits for them, for at most budget_ms. */
void container_names_take(struct container_names *names, unsigned int budget_ms);

/* Asks for one name and waits for the answer. `name` has CONTAINER_NAME bytes; "" if there is none. */
void container_names_look_up(struct nursery *nursery, int *socket, const struct container *container, char *name);

#endif
