/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What those who ask for a file, the server and its helper send each other. Paths end with a zero byte, which is sent. */
#ifndef RWALKER_REPORT_OPENER_OPENER_INTERNAL_H
#define RWALKER_REPORT_OPENER_OPENER_INTERNAL_H

#include <limits.h>
#include <stddef.h>

#include "report/opener/opener.h"
#include "report/opener/path_walk.h"

enum opener_question { OPENER_QUESTION_FILE, OPENER_QUESTION_REFUSALS };

/* To the server. */
struct opener_request {
	uint32_t question;
	uint32_t what; /* enum opener_kind, or enum opener_reason */
	char path[PATH_MAX];
};

enum { OPENER_GONE = 1 }; /* a result: no more files are opened */

/* Its answer, besides a result and a descriptor. */
struct opener_answer {
	uint64_t count; /* of refusals */
	uint32_t ours, unused;
	char path[PATH_MAX]; /* real; for -ENOENT, the first part of the request's that does not exist; "": unknown */
};

/* To the helper, one packet. */
struct opener_job {
	uint32_t kind, silent_count;
	struct walk_place silent[WALK_SILENT_MAX]; /* what did not answer before */
	char path[PATH_MAX];
};

/* From it, one packet, with a descriptor if error is 0. Before that come packets of struct walk_place. */
struct opener_reply {
	int32_t error;
	uint32_t reason; /* enum opener_reason; for -EPERM */
	uint32_t ours, unused;
	char path[PATH_MAX];
};

/* Returns what opener_open() does; -EPERM: the reply's reason is set. For OPENER_NAMED also errors of the kernel. */
int open_checked(const struct walk_rules *rules, enum opener_kind kind, const char *path, struct opener_reply *reply,
		 int *ret_fd);

/* The helper's main. `context`: struct opener_settings. */
int opener_run(int socket, const void *context);

#endif
