/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The words of folded lines, separated by ';': comms, frames, and placeholders for missing frames.
 * A ';' within a name becomes ':', and control characters are escaped, so a line stays one line.
 *
 * Waits follow bcc 0.26 exactly: a part without frames is left out, a lost part is "[Missed User
 * Stack]" or "[Missed Kernel Stack]", and --delimited puts "-" between the parts if both are
 * present.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_FOLD_H
#define RWALKER_REPORT_VIEW_TEXT_FOLD_H

#include "report/view/look/chain.h"
#include "report/view/look/functions.h"
#include "report/view/look/task_names.h"
#include "report/view/text/view.h"

/* Writes a printable text as one word: without ';'. */
void fold_word(FILE *out, const char *text);

struct fold {
	const struct view_context *context;
	struct functions *functions; /* all frames have been looked up */
	const struct task_names *names;
	const struct groups *groups;
};

/* "pid 12;" of --by; nothing without --by, or if it is the comm, which comes first anyway. 0, -ENOMEM. */
int fold_group(const struct fold *fold, uint32_t group);

/* "comm", or "comm-123" if split by process. */
void fold_owner(const struct fold *fold, uint32_t comm, uint32_t process);

/* ";root;...;leaf", or the name of an empty chain. */
int fold_chain(const struct fold *fold, const struct chain *chain);

/* The same for a sleeper. */
int fold_sleeper(const struct fold *fold, const struct chain *chain, bool user_missing);

/* In reverse, ";leaf;...;root", for a waker; only the kernel part for an interrupt. */
int fold_waker(const struct fold *fold, const struct chain *chain, bool interrupt);

#endif
