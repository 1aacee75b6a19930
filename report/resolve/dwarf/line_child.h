/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a module's DWARF in a child process, so that a file that makes libdw crash, hang or use up
 * memory costs only that module's lines: the child's memory and time are limited, and its answers
 * are untrusted. Answers received before it ended are kept. One child runs at a time; it ends with
 * the process that started it, and ignores Ctrl-C.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_LINE_CHILD_H
#define RWALKER_REPORT_RESOLVE_DWARF_LINE_CHILD_H

#include <sys/types.h>

#include "report/read/text_pool.h"
#include "report/resolve/dwarf/line_answers.h"
#include "report/resolve/file/local_files.h"

enum {
	LINE_CHILD_SECONDS = 4,	      /* of CPU time */
	LINE_CHILD_WAIT_SECONDS = 20, /* wall-clock: a disk may be slow */
	LINE_CHILD_BYTES = 1 << 30,   /* besides the mapped files; at most half of this process's memory limit */
};

struct line_job {
	int files[2];			/* the first with DWARF is read; -1: none. Owned by the caller */
	const char *paths[2];		/* of the files; NULL: another user could write it, so nothing is cached */
	const char *reals[2];		/* of the files, links resolved; NULL or "": unknown */
	const struct local_files *local; /* where alternate files are searched */
	uint64_t bias;			/* added to the addresses to get those of the file */
};

struct line_child {
	pid_t pid; /* 0: none */
	int fd;
	int *leash;  /* shared with the child, which ends when this is set */
	int state;   /* 1: running; 0: finished; -errno: failed, its output is ignored */
	int64_t end; /* deadline, ms of CLOCK_MONOTONIC */
	ARRAY(uint8_t) bytes;
};

/* Starts a child that answers all addresses of `answers`. -errno: it could not be started. */
int line_child_start(const struct line_job *job, const struct line_answers *answers,
		     struct line_child *ret_child);

/* Waits for its end, until most_ms have passed or a signal arrives. True: it ended. */
bool line_child_wait(struct line_child *child, int most_ms);

/*
 * Stores the child's answers in the same `answers`, their texts in the pool; ends a child that still
 * runs. 0; -ENODATA: no file has DWARF; -EPERM: all was read, but also from a file that another user
 * could write. If the answers may be incomplete: -EMSGSIZE: there are too many; -ETIMEDOUT; -ENOBUFS:
 * the child ran out of memory; -EXDEV: functions are in split units; -ENOTSUP: libdw cannot decompress
 * it; -EBADMSG: malformed; -EIO: the library failed; -ECANCELED: the child was still running.
 * -ENOMEM, -errno: an error of this process, nothing was read.
 */
int line_child_finish(struct line_child *child, struct text_pool *texts, struct line_answers *answers);

/* Ends the child, if it runs, and releases it. */
void line_child_end(struct line_child *child);

#endif
