/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Forks the worker, and serves it until it ends (service.h). For a process that waits for the
 * parent, the two are one: the parent passes on Ctrl-C and ends as the worker did. A terminal sends
 * SIGINT to both, whereas others send it to the one that they know. So the worker ignores it, and
 * is interrupted by WORKER_INTERRUPT, once for each SIGINT that the parent got. If the parent dies,
 * so does the worker.
 */
#ifndef RWALKER_REPORT_SANDBOX_WORKER_H
#define RWALKER_REPORT_SANDBOX_WORKER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "report/sandbox/service.h"
#include "report/sandbox/user.h"

enum { WORKER_INTERRUPT = SIGUSR1 };

enum { WORKER_LINE,
       WORKER_CHILD_LINE, /* for the worker's child that reads DWARF, which must not use the other */
       WORKER_LINES };

struct worker {
	pid_t pid; /* 0: this process is the worker */
	int lines[WORKER_LINES], far[WORKER_LINES]; /* this process's ends, and the other's */
	bool uninterrupted; /* SIGINT was ignored when we started, and stays so */
};

struct worker_services { /* in the order of their numbers */
	const struct service *all, *of_child;
	size_t count; /* of all */
};

/* Returns in both processes; the worker is that user. 0, or -errno after reporting why. */
int worker_fork(struct worker *ret_worker, const struct user *user);

/*
 * A service with an empty answer. Once that has arrived, the worker has got all interrupts that
 * came before the request, however late the parent was.
 */
struct service worker_interrupts_service(void);

/*
 * The parent's main. Returns the exit code of the worker, or 1 if the sandbox killed it, which is
 * reported; if another signal killed the worker, dies of that.
 */
int worker_serve(const struct worker *worker, const struct worker_services *services);

#endif
