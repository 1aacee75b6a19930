/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Keeps the recorder's own program and libraries in memory. When memory is short, the kernel drops
 * pages of files first, and the recorder would wait for the disk like the threads that it records.
 * Its events and tables are bounded and not backed by files, so they are left as they are.
 */
#ifndef RWALKER_RECORD_HOST_SERVICE_H
#define RWALKER_RECORD_HOST_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Call it while the limit of locked memory does not apply, or allows some 5 MB. Returns how many
 * bytes are locked; it is not an error if some cannot be. Children do not inherit the lock.
 */
size_t resident_keep(void);

/*
 * Tells the service manager that started us what we do, as sd_notify(3) specifies: datagrams to
 * the socket in $NOTIFY_SOCKET. The socket is created and connected at the start, because later we
 * may create none. Nothing here waits for the manager for longer than NOTIFY_PATIENCE_MS; a state
 * that it had no room for is sent again.
 *
 * libsystemd is not used: there is no static library of it, and the recorder is one static file.
 */

enum { NOTIFY_PATIENCE_MS = 50, NOTIFY_TEXT_MAX = 256 };

enum notify_state { NOTIFY_STARTS, NOTIFY_READY, NOTIFY_RELOADS, NOTIFY_STOPS };

struct notify { /* zeroed: nobody wants to know */
	int socket_plus_1;
	uint64_t interval, next; /* of signs of life (watchdog), CLOCK_MONOTONIC ns; interval 0: none is expected */
	enum notify_state state;
	bool told; /* the manager knows the state */
};

/*
 * Removes what it reads from the environment, so that no child takes it for its own. Warns if the
 * manager cannot be reached.
 */
void notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* After a reload, NOTIFY_READY is entered again. */
void notify_enter(struct notify *notify, enum notify_state state, uint64_t now);
/* One line for people. */
void notify_status(const struct notify *notify, const char *text);

/* When notify_step() should be called at the latest; UINT64_MAX: whenever. */
uint64_t notify_next(const struct notify *notify);
void notify_step(struct notify *notify, uint64_t now);

#endif
