/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Forks the worker, and is its keeper (keeper.h) until it ends. To whoever waits for the keeper the two are one
 * process: it passes on Ctrl-C and ends as the worker did. A terminal sends SIGINT to both, whereas others send it to
 * the one that they know; so the worker ignores it, and is interrupted by WORKER_INTERRUPT, once for each that the
 * keeper got. If the keeper dies, so does the worker.
 */
#ifndef RWALKER_REPORT_SANDBOX_WORKER_H
#define RWALKER_REPORT_SANDBOX_WORKER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "report/sandbox/desk.h"

enum { WORKER_INTERRUPT = SIGUSR1 };

struct worker {
	pid_t pid;	    /* 0: this process is the worker */
	int socket;	    /* this process's end of the line */
	bool uninterrupted; /* SIGINT was ignored when we started, and stays so */
};

/* Returns in both processes. 0, or -errno after reporting why. */
int worker_fork(struct worker *ret_worker);

/*
 * A desk of the keeper that answers nothing. When it has, the worker got all interrupts that came before the request,
 * however late the keeper was.
 */
struct desk worker_interrupts_desk(void);

/*
 * The keeper's life: answers at the desks, in the order of their numbers. Returns the exit code of the worker, or 1 if
 * it was killed by the sandbox, which is reported; dies of the signal of which the worker died.
 */
int worker_keep(const struct worker *worker, const struct desk *desks, size_t count);

#endif
