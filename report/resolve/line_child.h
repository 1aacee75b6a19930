/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a module's DWARF in a child process, so that a file that makes libdw crash, hang or eat memory costs that module's lines
 * and no more: the child has limits of memory and time, and what it says is taken for the word of a stranger. Answers that came
 * before it ended stay. Several may run at once, a module each, and one process listens to all. They end with that process,
 * and Ctrl-C is not theirs to heed.
 */
#ifndef RWALKER_REPORT_RESOLVE_LINE_CHILD_H
#define RWALKER_REPORT_RESOLVE_LINE_CHILD_H

#include <sys/types.h>

#include "report/read/text_pool.h"
#include "report/resolve/line_answers.h"
#include "report/resolve/local_files.h"

enum {
	LINE_CHILD_SECONDS = 4,	      /* of CPU time */
	LINE_CHILD_WAIT_SECONDS = 20, /* in all: a disk may be slow */
	LINE_CHILD_BYTES = 1 << 30,   /* beside the file itself, which is mapped */
	LINE_CHILDREN_MAX = 4,	      /* at once: that many times as much memory */
};

struct line_job {
	int files[2];			/* the first that has DWARF is read; -1: none. They stay the caller's */
	const struct local_files *local; /* where alternate files are looked for */
	uint64_t bias;			/* what the addresses lack to be those of the file */
};

struct line_child {
	pid_t pid; /* 0: none */
	int fd;
	int state;   /* 1: more may come; 0: it has said all; -errno: it is not listened to any more */
	int64_t end; /* ms of CLOCK_MONOTONIC: so long it is waited for */
	ARRAY(uint8_t) bytes;
};

/* Has the child answer all addresses of `answers`. -errno: there is none. */
int line_child_start(const struct line_job *job, const struct line_answers *answers, struct line_child *ret_child);

/* Waits for any of at most LINE_CHILDREN_MAX children, no longer than most_ms, or until a signal comes. True: one of them is over. */
bool line_children_wait(struct line_child *const *children, size_t count, int most_ms);

/*
 * Puts what it answered into the same answers, their texts into the pool; one that is not over is killed. 0; -ENODATA: no file has
 * DWARF; and where the answers may not be complete: -EMSGSIZE, it expands to too much; -ETIMEDOUT; -ENOBUFS, too little memory in the
 * child; -EBADMSG, it is malformed; -EIO, the library failed; -ECANCELED, it was not over. -ENOMEM, -errno: of this process, nothing
 * was read.
 */
int line_child_finish(struct line_child *child, struct text_pool *texts, struct line_answers *answers);

/* Kills it, where it runs, and forgets it. */
void line_child_end(struct line_child *child);

/* All of that at once. */
int line_child_resolve(const struct line_job *job, struct text_pool *texts, struct line_answers *answers);

#endif
