/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Forks the worker, and is its keeper (keeper.h) until it ends. For a process that waits for the
 * keeper, the two are one: the keeper passes on Ctrl-C and ends as the worker did. A terminal sends
 * SIGINT to both, whereas others send it to the one that they know. So the worker ignores it, and
 * is interrupted by WORKER_INTERRUPT, once for each SIGINT that the keeper got. If the keeper dies,
 * so does the worker.
 */
#ifndef RWALKER_REPORT_SANDBOX_WORKER_H
#define RWALKER_REPORT_SANDBOX_WORKER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "report/sandbox/desk.h"
#include "report/sandbox/user.h"

enum { WORKER_INTERRUPT = SIGUSR1 };

struct worker {
	pid_t pid;	    /* 0: this process is the worker */
	int socket;	    /* this process's end of the line */
	bool uninterrupted; /* SIGINT was ignored when we started, and stays so */
};

/* Returns in both processes; the worker is that user. 0, or -errno after reporting why. */
int worker_fork(struct worker *ret_worker, const struct user *user);

/*
 * A desk of the keeper with an empty answer. Once that has arrived, the worker has got all
 * interrupts that came before the request, however late the keeper was.
 */
struct desk worker_interrupts_desk(void);

/*
 * The keeper's main: serves the desks, which are in the order of their numbers. Returns the exit
 * code of the worker, or 1 if the sandbox killed it, which is reported; if another signal killed
 * the worker, dies of that.
 */
int worker_keep(const struct worker *worker, const struct desk *desks, size_t count);

#endif
