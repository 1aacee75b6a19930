/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A helper process of --flight: forked while we are root, it ends when its socket is closed, also
 * by our death. For what the helpers of record/helper may not do: make files, run commands.
 */
#ifndef RWALKER_RECORD_FLIGHT_FORKED_H
#define RWALKER_RECORD_FLIGHT_FORKED_H

#include <stdint.h>
#include <sys/types.h>

struct forked { /* zeroed: there is none */
	int socket_plus_1;
	pid_t pid;
};

/* What it does. Sends an int32_t first, 0 or -errno: whether it can. Never returns. */
typedef void forked_run(const void *context, int socket);

/*
 * Starts it. task: for messages, "the helper process that TASK". *ret_rc: what it sent. 0, or
 * -errno after reporting why.
 */
int forked_start(struct forked *forked, forked_run *run, const void *context, const char *task, int32_t *ret_rc);
/* Closes the socket and awaits its end. */
void forked_end(struct forked *forked);

/* In the helper: ignores what ends the recorder, and closes all files from `first` on but the socket. */
void forked_settle(int first, int socket);
/* In the helper: becomes the user behind sudo, if there is one, and gives up all capabilities. 0, -errno. */
int forked_become_caller(void);

#endif
