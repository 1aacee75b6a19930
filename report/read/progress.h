/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Long operations: a progress line on stderr, if that is a terminal and the work has taken a while;
 * and Ctrl-C. Between progress_enter() and progress_leave() the first SIGINT is only noted, and the
 * work ends early; the second one has its default action again, as has any SIGINT outside. We
 * detect a SIGINT by asking the kernel for the handler, which it resets when it calls it. If SIGINT
 * was ignored when the program started, it stays ignored.
 *
 * Created in main and passed down; NULL shows nothing and is never stopped. Not thread-safe.
 */
#ifndef RWALKER_REPORT_READ_PROGRESS_H
#define RWALKER_REPORT_READ_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROGRESS_FIRST_MS = 700, /* time before anything is shown */
	PROGRESS_REDRAW_MS = 100,
	PROGRESS_LOOK_MS = 20, /* time between two queries to the kernel */
};

struct progress {
	bool terminal, shown, armed, stopped;
	int interrupt; /* the signal of Ctrl-C, or the one by which another process forwards it */
	unsigned int depth;
	int64_t began, drawn, looked; /* ms of CLOCK_MONOTONIC; began -1: not yet */
};

void progress_init(struct progress *progress);

/* These may be nested; the outermost progress_leave() removes the line. */
void progress_enter(struct progress *progress);
void progress_leave(struct progress *progress);

/*
 * Shows the progress, "PHASE NAME: 43%"; no percentage if `whole` is 0. The name (NULL: none) may
 * be hostile. Cheap enough to be called some thousand times a second. True: Ctrl-C was pressed, the
 * work should end.
 */
bool progress_step(struct progress *progress, const char *phase, const char *name, uint64_t done,
		   uint64_t whole);
/* The same check without a line; always queries the kernel. */
bool progress_stopped(struct progress *progress);
/* The Ctrl-C was meant for another program: the work continues. */
void progress_resume(struct progress *progress);

/* Formats "PHASE NAME: 43%" in at most room - 1 bytes. */
void progress_format(char *out, size_t room, const char *phase, const char *name, uint64_t done,
		     uint64_t whole);

#endif
