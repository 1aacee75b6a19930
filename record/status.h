/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the person at the terminal sees: a line that is rewritten once a second while stderr is a terminal, the progress
 * of embedding, and at the end what was written and lost and what to type next.
 */
#ifndef RWALKER_RECORD_STATUS_H
#define RWALKER_RECORD_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct status {
	bool live;  /* stderr is a terminal */
	bool shown; /* a line is shown now */
};

struct status_figures {
	char what[160];		 /* "1,234 samples, 56 waits" */
	uint64_t lost, left_out;
	uint64_t written;	 /* bytes */
	uint64_t elapsed;	 /* ns */
	const char *next_view;	 /* the option to type next */
	bool snapshots;		 /* were wanted: the file holds stack memory */
};

enum { STATUS_NUMBER = 32 };
/* 1234567 -> "1,234,567" */
const char *status_number(uint64_t value, char text[STATUS_NUMBER]);

void status_init(struct status *status);
void status_show(struct status *status, const struct status_figures *figures);
/* What is done before the recording starts: "loading programs". */
void status_starting(struct status *status, const char *what);
void status_attaching(struct status *status, size_t done, size_t total);
void status_embedding(struct status *status, size_t done, size_t total);
void status_clear(struct status *status);

/* path "-": does not suggest what to type next. */
void status_summary(const struct status_figures *figures, const char *path);

#endif
