/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the reporter and the opener's processes send each other (common/packet.h): one packet each
 * way, the answer with the descriptor. Paths end with a zero byte, which is sent; what follows it
 * is not.
 */
#ifndef RWALKER_REPORT_OPENER_OPENER_WIRE_H
#define RWALKER_REPORT_OPENER_OPENER_WIRE_H

#include <limits.h>
#include <stddef.h>

#include "report/opener/opener.h"

enum {
	OPENER_DEADLINE_MS = 1000, /* for a file */
	OPENER_BUSY_MS = 10000,	   /* while the worker only waits for a CPU */
	OPENER_SILENT_MAX = 3,	   /* files for which nobody answered: then no more are opened */
	OPENER_END_MS = 1000,	   /* for the monitor to end */
	OPENER_WAIT_MS = 120000,   /* for an answer of any kind, with other channels' requests ahead */
};

enum opener_question { OPENER_QUESTION_FILE, OPENER_QUESTION_REFUSALS };

struct opener_request {
	uint64_t number; /* repeated in the answer: an answer for a process that is gone is thrown away */
	uint32_t question;
	uint32_t what; /* enum opener_kind, or enum opener_reason */
	char path[PATH_MAX];
};

struct opener_answer {
	uint64_t number, count;
	int32_t error;
	uint32_t ours;
	char path[PATH_MAX]; /* real; for -ENOENT, the first part of the request's that does not exist; "": unknown */
};

/* Size of a request or an answer with its path. */
size_t opener_request_size(const struct opener_request *request);
size_t opener_answer_size(const struct opener_answer *answer);

/* The monitor's process: serves the channels until the other ends are closed. */
_Noreturn void opener_monitor(const int channels[static OPENER_CHANNELS], const struct opener_settings *settings);

/* The worker's process: `shared` is the monitor's, too. */
struct opener_shared;
_Noreturn void opener_worker(const int channels[static OPENER_CHANNELS], const struct opener_settings *settings,
			     struct opener_shared *shared);

#endif
