/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a module's DWARF in a child process, so that a file that makes libdw crash, hang or eat memory costs that module's lines
 * and no more: the child has limits of memory and time, and what it says is taken for the word of a stranger. Answers that came
 * before it ended stay.
 */
#ifndef RWALKER_REPORT_RESOLVE_LINE_CHILD_H
#define RWALKER_REPORT_RESOLVE_LINE_CHILD_H

#include "report/read/text_pool.h"
#include "report/resolve/line_answers.h"
#include "report/resolve/local_files.h"

enum {
	LINE_CHILD_SECONDS = 4,	      /* of CPU time */
	LINE_CHILD_WAIT_SECONDS = 20, /* in all: a disk may be slow */
	LINE_CHILD_BYTES = 1 << 30,   /* beside the file itself, which is mapped */
};

struct line_job {
	int files[2];			/* the first that has DWARF is read; -1: none. They stay the caller's */
	const struct local_files *local; /* where alternate files are looked for */
	uint64_t bias;			/* what the addresses lack to be those of the file */
};

/*
 * Answers for all addresses of `answers`, whose texts go into the pool. 0; -ENODATA: no file has DWARF; and where the
 * answers may not be complete: -EMSGSIZE, it expands to too much; -ETIMEDOUT; -ENOBUFS, too little memory in the child; -EBADMSG, it
 * is malformed; -EIO, the library failed. -ENOMEM, -errno: of this process, nothing was read.
 */
int line_child_resolve(const struct line_job *job, struct text_pool *texts, struct line_answers *answers);

#endif
