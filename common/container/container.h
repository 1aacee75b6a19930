/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The container that a control group belongs to, by its path: runtimes and systemd spell the
 * container's id into it, each in its own way (the unit test has a table of them). If they are
 * nested, the innermost counts. Programs that watch one from outside, such as conmon, are in none.
 */
#ifndef RWALKER_COMMON_CONTAINER_CONTAINER_H
#define RWALKER_COMMON_CONTAINER_CONTAINER_H

#include <stdbool.h>

enum container_runtime {
	CONTAINER_DOCKER,
	CONTAINER_CONTAINERD,
	CONTAINER_CRIO,
	CONTAINER_PODMAN,
	CONTAINER_LXC,
	CONTAINER_MACHINE,    /* systemd-nspawn, libvirt: what systemd-machined knows */
	CONTAINER_KUBERNETES, /* in a pod, by a runtime that does not say its name */
	CONTAINER_OTHER,
};

enum { CONTAINER_ID = 256, CONTAINER_SHORT = 12 };

struct container {
	enum container_runtime runtime;
	char id[CONTAINER_ID];	/* mostly 64 hexadecimal digits; of LXC and machines, their name */
	char pod[CONTAINER_ID]; /* the uid of its pod, with dashes; "" */
};

/* What stands for an id in a scrubbed trace begins with this, as in "docker:ctr_...". */
#define CONTAINER_STAND_IN "ctr_"

/* False: the path is in no container, as far as its spelling shows. */
bool container_find(const char *path, struct container *ret_container);

const char *container_runtime_name(enum container_runtime runtime); /* "docker" */

/* How many characters of the id people see: 12 of a number, all of a name. */
int container_short_length(const struct container *container);

#endif
