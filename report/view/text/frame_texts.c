/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/frame_texts.h"

#include <errno.h>
#include <stdlib.h>

int frame_texts_init(struct frame_texts *texts, const struct profile *profile,
		     frame_text_write *write, const void *view)
{
	*texts = (struct frame_texts){.write = write, .view = view};
	(void)profile_frames(profile, &texts->count);
	texts->items = calloc(texts->count + 1, sizeof(*texts->items));
	return texts->items ? 0 : -ENOMEM;
}

void frame_texts_deinit(struct frame_texts *texts)
{
	for (size_t i = 0; texts->items && i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
	*texts = (struct frame_texts){0};
}

static int make(struct frame_texts *texts, uint32_t frame)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return -ENOMEM;
	texts->write(texts->view, frame, out);
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	texts->items[frame] = text;
	return 0;
}

int frame_texts_find(struct frame_texts *texts, uint32_t frame, const char **ret_text)
{
	int r = 0;

	if (frame >= texts->count)
		return -EBADMSG;
	if (!texts->items[frame])
		r = make(texts, frame);
	if (!r)
		*ret_text = texts->items[frame];
	return r;
}
