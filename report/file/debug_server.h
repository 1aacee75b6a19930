/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The door to libdebuginfod: files by build-id from the servers in DEBUGINFOD_URLS, only if the
 * user asked for it. The library, and the network code below it, is loaded at the first query and
 * never linked. It keeps the files it fetched, and for a while what no server has, in its own
 * cache. Servers may be hostile: a file that they send is opened like any other, and used only if it
 * has the right build-id. After a few failures we stop asking servers, and report it.
 */
#ifndef RWALKER_REPORT_FILE_DEBUG_SERVER_H
#define RWALKER_REPORT_FILE_DEBUG_SERVER_H

#include "common/elf/elf_file.h"

struct debug_server;
struct progress;
struct service;
struct user;

enum debug_server_file { DEBUG_SERVER_DEBUGINFO, DEBUG_SERVER_EXECUTABLE };

/*
 * Does not contact any server yet. `progress` and `service` may be NULL, and must outlive the server.
 * With a service, that service queries the servers (debug_server_service() of another process). -ENOMEM.
 */
int debug_server_create(struct progress *progress, const struct service *service, struct debug_server **ret_server);
void debug_server_destroy(struct debug_server *server);

/*
 * 0: an open descriptor and the path of the file, both owned by the caller. -ENOENT: the servers do
 * not have the file, or could not be asked (which was reported); -ENOMEM. A NULL server has no
 * files.
 */
int debug_server_find(struct debug_server *server, enum debug_server_file what,
		      const struct build_id *id, int *ret_fd, char **ret_path);

/* Queries the servers for processes that must not load libraries or use the network. They are not trusted. */
struct service debug_server_service(struct debug_server *server);
/*
 * Forks a process with such a service as that user. It ignores Ctrl-C unless it fetches, and ends when the last process
 * that may ask has closed the socket, which the caller closes, too. If that user has no home, files are
 * fetched into a temporary folder, which goes at the end. 0, or -errno after reporting why.
 */
int debug_server_start(const struct user *user, int *ret_socket);

/* Queries that were skipped or aborted because of Ctrl-C: their result was -ENOENT. */
size_t debug_server_unasked(const struct debug_server *server);

#endif
