/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A helper process of --flight, for what the helpers of record/helper may not do: create files and
 * run commands. It is forked while we are root, and ends when we close its socket or die.
 */
#ifndef RWALKER_RECORD_FLIGHT_FORKED_H
#define RWALKER_RECORD_FLIGHT_FORKED_H

#include <stdint.h>
#include <sys/types.h>

struct forked { /* zeroed: there is none */
	int socket_plus_1;
	pid_t pid;
};

/* The helper's main. First it sends an int32_t: -errno if it cannot do its work, else 0 or more. Never returns. */
typedef void forked_run(const void *context, int socket);

/*
 * Starts it. task: for messages, "the helper process that TASK". *ret_rc: what it sent. 0, or
 * -errno after reporting why.
 */
int forked_start(struct forked *forked, forked_run *run, const void *context, const char *task, int32_t *ret_rc);
/* Closes the socket and waits until the helper has ended. */
void forked_end(struct forked *forked);

/* In the helper: ignores signals that end the recorder, and closes all descriptors >= first except the socket. */
void forked_settle(int first, int socket);
/* In the helper: becomes the user behind sudo, if there is one, and gives up all capabilities. 0, -errno. */
int forked_become_caller(void);

#endif
