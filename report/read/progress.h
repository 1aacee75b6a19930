/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Long work: a line on stderr that says where it stands, if that is a terminal and the work has taken a while; and Ctrl-C.
 * Between progress_enter() and progress_leave() the first SIGINT is only noted, and whoever does the work ends it early; the
 * second one has its default action again, as has any that comes outside. That one came is known from the kernel, which
 * takes our handler away when it calls it. A SIGINT that was ignored when the program began stays so.
 *
 * Made in main and passed down; NULL shows nothing and is never stopped. For one thread.
 */
#ifndef RWALKER_REPORT_READ_PROGRESS_H
#define RWALKER_REPORT_READ_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROGRESS_FIRST_MS = 700, /* of work, before anything is shown */
	PROGRESS_REDRAW_MS = 100,
	PROGRESS_LOOK_MS = 20, /* between two questions to the kernel */
};

struct progress {
	bool terminal, shown, armed, stopped;
	unsigned int depth;
	int64_t began, drawn, looked; /* ms of CLOCK_MONOTONIC; began -1: not yet */
};

void progress_init(struct progress *progress);

/* These may be nested; the last leaving takes the line away. */
void progress_enter(struct progress *progress);
void progress_leave(struct progress *progress);

/*
 * Where the work stands, "PHASE NAME: 43%"; no share where `whole` is 0. The name (NULL: none) may be hostile. Cheap enough to be
 * called some thousand times a second. True: it is to end, as Ctrl-C was pressed.
 */
bool progress_step(struct progress *progress, const char *phase, const char *name, uint64_t done, uint64_t whole);
/* The same question without a line, and asked anew. */
bool progress_stopped(struct progress *progress);
/* The Ctrl-C was meant for somebody else: work goes on. */
void progress_resume(struct progress *progress);

/* "PHASE NAME: 43%" in at most room - 1 bytes. */
void progress_format(char *out, size_t room, const char *phase, const char *name, uint64_t done, uint64_t whole);

#endif
