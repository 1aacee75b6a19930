/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The words of folded lines, separated by ';': comms, frames, and placeholders for missing frames.
 * A ';' within a name becomes "\x3b", and control characters are escaped, so a line stays one line.
 *
 * Waits follow bcc 0.26 exactly: a part without frames is left out, a lost part is "[Missed User
 * Stack]" or "[Missed Kernel Stack]", and --delimited puts "-" between the parts if both are
 * present.
 */
#ifndef RWALKER_REPORT_VIEW_FRAME_TEXT_H
#define RWALKER_REPORT_VIEW_FRAME_TEXT_H

#include <stdio.h>

#include "report/profile/profile.h"
#include "report/view/functions.h"
#include "report/view/task_names.h"
#include "report/view/view.h"

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

/*
 * A call chain as lines, leaf first, one frame each, indented by four; with --delimited a mark
 * before the user frames. The functions of its frames must have been looked up.
 */

/* How a frame is to look according to the options. */
static inline struct frame_style frame_list_style(const struct view_settings *settings)
{
	return (struct frame_style){.addresses = settings->addresses, .offsets = settings->offsets};
}

void frame_list_write_one(const struct view_context *context, const struct functions *functions, uint32_t frame);
/* The name of an empty chain. */
void frame_list_write_none(const struct view_context *context, const struct functions *functions);
void frame_list_write(const struct view_context *context, const struct functions *functions,
		      const struct chain *chain);

/*
 * Each frame's text, made on first use: when every event prints its call chain, the same few frames
 * are printed millions of times.
 */

typedef void frame_text_write(const void *view, uint32_t frame, FILE *out);

struct frame_texts {
	char **items; /* by frame; NULL: not used yet */
	size_t count;
	frame_text_write *write;
	const void *view; /* the owner of the frames, for `write` */
};

int frame_texts_init(struct frame_texts *texts, const struct profile *profile,
		     frame_text_write *write, const void *view);
void frame_texts_deinit(struct frame_texts *texts);

/* Valid as long as the texts. -ENOMEM, -EBADMSG: the frame is not in the profile. */
int frame_texts_find(struct frame_texts *texts, uint32_t frame, const char **ret_text);

#endif
