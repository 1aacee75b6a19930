/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that reads the names that container runtimes gave their containers
 * (record/pick/container_name.h). A file counts only if it is a regular file that root owns and
 * nobody else can write, and no link leads to it. Request and reply: one packet each; a container
 * without a name has a reply without one.
 */
#ifndef RWALKER_RECORD_HELPER_NAME_HELPER_H
#define RWALKER_RECORD_HELPER_NAME_HELPER_H

#include <stdint.h>

#include "record/pick/container_name.h"

struct name_request {
	uint64_t cgroup;  /* returned in the reply */
	uint32_t runtime; /* enum container_runtime */
	char id[68];	  /* with its NUL */
};

struct name_reply {
	uint64_t cgroup;
	char name[CONTAINER_NAME]; /* "": it has none */
};

/* `root`: an open folder. */
void name_helper_read(int root, const struct name_request *request, struct name_reply *ret_reply);

/* The helper's main: serves until the socket closes. */
int name_helper_run(int socket);

#endif
