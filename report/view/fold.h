/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The words of folded lines, ';' between them: comms, frames, and what stands where frames should be. A ';' within a
 * name becomes ':', control characters are escaped, so that a line stays a line.
 *
 * Waits follow bcc 0.26 to the letter: a part that has no frames is left out, one that was lost is
 * "[Missed User Stack]" or "[Missed Kernel Stack]", and --delimited puts "-" between two parts that are both there.
 */
#ifndef RWALKER_REPORT_VIEW_FOLD_H
#define RWALKER_REPORT_VIEW_FOLD_H

#include "report/view/chain.h"
#include "report/view/functions.h"
#include "report/view/task_names.h"
#include "report/view/view.h"

struct fold {
	const struct view_context *context;
	struct functions *functions; /* all frames have been looked up */
	const struct task_names *names;
};

/* "comm", and where processes are kept apart "comm-123". */
void fold_owner(const struct fold *fold, uint32_t comm, uint32_t process);

/* ";root;...;leaf", or the name of an empty chain. */
int fold_chain(const struct fold *fold, const struct chain *chain);

/* The same of one who waited. */
int fold_sleeper(const struct fold *fold, const struct chain *chain, bool user_missing);

/* The other way round, ";leaf;...;root": of one who woke somebody; of an interrupt the kernel part alone. */
int fold_waker(const struct fold *fold, const struct chain *chain, bool interrupt);

#endif
