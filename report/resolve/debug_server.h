/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The door to libdebuginfod: files by build-id from the servers that DEBUGINFOD_URLS names, only where the user asked for it. The
 * library, and the network code below it, is loaded at the first question and never linked. It keeps the files it
 * fetched in a cache of its own. A server is hostile too: what it sends is opened like any file and counts only with the
 * right build-id. Servers that do not answer are not asked for ever: after a few failures nobody is asked any more, which is said.
 */
#ifndef RWALKER_REPORT_RESOLVE_DEBUG_SERVER_H
#define RWALKER_REPORT_RESOLVE_DEBUG_SERVER_H

#include "common/elf_file.h"

struct debug_server;
struct progress;

enum debug_server_file { DEBUG_SERVER_DEBUGINFO, DEBUG_SERVER_EXECUTABLE };

/* What was answered in earlier reports: for who keeps it. Only what a server said is an answer; that none could be reached is not. */
struct debug_server_memory {
	void *context;
	/* `what`: "debuginfo", "executable". 1: *ret_path, where the file was then; 0: the servers have none; -ENOENT: not known. */
	int (*recall)(void *context, const struct build_id *id, const char *what, const char *servers, const char **ret_path);
	void (*remember)(void *context, const struct build_id *id, const char *what, const char *servers,
			 const char *path); /* NULL: they have none */
};

/* Asks nobody yet. `memory` may be NULL, and is copied; so may `progress`, which outlives the server. -ENOMEM. */
int debug_server_create(const struct debug_server_memory *memory, struct progress *progress, struct debug_server **ret_server);
void debug_server_destroy(struct debug_server *server);

/*
 * 0: an open descriptor, the caller's, and where the file is, which the caller frees. -ENOENT: the servers have no such
 * file, or cannot be asked, which was said then; -ENOMEM. A NULL server has nothing.
 */
int debug_server_find(struct debug_server *server, enum debug_server_file what, const struct build_id *id, int *ret_fd,
		      char **ret_path);

/* Questions that were not asked, or not to the end, as Ctrl-C was pressed: their answer was -ENOENT. */
size_t debug_server_unasked(const struct debug_server *server);

#endif
