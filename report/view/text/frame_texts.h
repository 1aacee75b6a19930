/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Each frame's text, made on first use: when every event prints its call chain, the same few frames
 * are printed millions of times.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_FRAME_TEXTS_H
#define RWALKER_REPORT_VIEW_TEXT_FRAME_TEXTS_H

#include <stdio.h>

#include "report/profile/seam/profile.h"

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
