/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reporter is two processes. The worker reads traces and the files of programs, and prints: it
 * may be taken over by what it reads, and is jailed (jail.h). The keeper has forked it, keeps the
 * user's rights, and uses them for the worker: for each thing that it does there is a desk
 * (desk.h), and both know the desks by their numbers.
 *
 *	worker: desk_ask() ── request: desk, size, bytes ──▶ keeper: the desk's serve()
 *	                   ◀── answer: result, size, bytes, perhaps a descriptor ──
 *
 * One request at a time. The keeper believes nothing of a request: one that it does not understand
 * ends the service.
 */
#ifndef RWALKER_REPORT_SANDBOX_KEEPER_H
#define RWALKER_REPORT_SANDBOX_KEEPER_H

#include "report/sandbox/desk.h"

/* The worker's view of a desk: desk number `number` of the keeper at the other end. */
struct keeper_desk {
	int socket;
	uint32_t number;
};

/* The desk points to `far`, which must outlive it. */
struct desk keeper_desk_far(struct keeper_desk *far);

/* Two ends of a line. 0, -errno. */
int keeper_line_open(int ret_ends[static 2]);

/* Waits for one request and answers it. 1; 0: the worker's end is closed; -EPROTO: it was malformed; -errno. */
int keeper_serve(int socket, const struct desk *desks, size_t count);

#endif
