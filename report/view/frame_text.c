/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/frame_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"

static const char missed_user[] = ";[Missed User Stack]", missed_kernel[] = ";[Missed Kernel Stack]";

/* Writes a printable text as one word: without ';'. */
static void fold_word(FILE *out, const char *text)
{
	for (size_t length; *text; text += length) {
		length = strcspn(text, ";");
		(void)fwrite(text, 1, length, out);
		if (text[length] == ';') {
			(void)fputs("\\x3b", out);
			length++;
		}
	}
}

static void write_comm(FILE *out, const char *comm)
{
	enum { COMM_BYTES = 16, GROWTH = 4 };
	char text[GROWTH * COMM_BYTES + 1];

	(void)printable_escape(text, sizeof(text), comm, strlen(comm));
	fold_word(out, text);
}

static int write_frame(const struct fold *fold, uint32_t frame)
{
	const struct frame_style style = {.offsets = true};
	_cleanup_free_ char *text = NULL;
	uint32_t function;
	size_t length;
	FILE *stream;
	int r = functions_find(fold->functions, frame, &function);

	if (r < 0)
		return r;
	(void)fputc(';', fold->context->out);
	if (!fold->context->settings->offsets || functions_mark(fold->functions, function)[0]) {
		fold_word(fold->context->out, functions_name(fold->functions, function));
		(void)fputs(functions_mark(fold->functions, function), fold->context->out);
		return 0;
	}
	stream = open_memstream(&text, &length);
	if (!stream)
		return -ENOMEM;
	functions_write_frame(fold->functions, frame, style, stream);
	if (fclose(stream) != 0)
		return -ENOMEM;
	fold_word(fold->context->out, text);
	return 0;
}

/* Frames [first, last) of a chain, leaf first. */
static int write_root_first(const struct fold *fold, const struct chain *chain, size_t first, size_t last)
{
	int r = 0;

	while (!r && last-- > first)
		r = write_frame(fold, chain->frames.items[last]);
	return r;
}

static int write_leaf_first(const struct fold *fold, const struct chain *chain, size_t first, size_t last)
{
	int r = 0;

	for (; !r && first < last; first++)
		r = write_frame(fold, chain->frames.items[first]);
	return r;
}

static void write_delimiter(const struct fold *fold, const struct chain *chain)
{
	if (fold->context->settings->delimited && chain->kernel_count &&
	    chain->kernel_count < chain->frames.count)
		(void)fputs(";-", fold->context->out);
}

int fold_group(const struct fold *fold, uint32_t group)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *stream;

	if (!fold->groups->field || fold->groups->field->is_comm)
		return 0;
	stream = open_memstream(&text, &length);
	if (!stream)
		return -ENOMEM;
	groups_write(fold->groups, group, stream);
	if (fclose(stream) != 0)
		return -ENOMEM;
	fold_word(fold->context->out, text);
	(void)fputc(';', fold->context->out);
	return 0;
}

void fold_owner(const struct fold *fold, uint32_t comm, uint32_t process)
{
	write_comm(fold->context->out, fold->names->comms[comm]);
	if (fold->context->settings->per_process) {
		(void)fputc('-', fold->context->out);
		task_names_write_process(fold->names, process, fold->context->out);
	}
}

/* User part, then kernel part, each from its root. */
static int write_parts(const struct fold *fold, const struct chain *chain)
{
	int r = write_root_first(fold, chain, chain->kernel_count, chain->frames.count);

	write_delimiter(fold, chain);
	return r < 0 ? r : write_root_first(fold, chain, 0, chain->kernel_count);
}

int fold_chain(const struct fold *fold, const struct chain *chain)
{
	if (!chain->frames.count)
		(void)fprintf(fold->context->out, ";%s", functions_name(fold->functions, FUNCTION_NONE));
	return write_parts(fold, chain);
}

int fold_sleeper(const struct fold *fold, const struct chain *chain, bool user_missing)
{
	const struct view_settings *settings = fold->context->settings;
	int r;

	if (user_missing && !settings->kernel_only && chain->kernel_count == chain->frames.count)
		(void)fputs(missed_user, fold->context->out);
	r = write_parts(fold, chain);
	if (!settings->user_only && !chain->kernel_count)
		(void)fputs(missed_kernel, fold->context->out);
	return r;
}

int fold_waker(const struct fold *fold, const struct chain *chain, bool interrupt)
{
	int r = write_leaf_first(fold, chain, 0, chain->kernel_count);

	if (!fold->context->settings->user_only && !chain->kernel_count)
		(void)fputs(missed_kernel, fold->context->out);
	if (r < 0 || interrupt)
		return r;
	write_delimiter(fold, chain);
	return write_leaf_first(fold, chain, chain->kernel_count, chain->frames.count);
}

/* --- frame list --- */

void frame_list_write_one(const struct view_context *context, const struct functions *functions, uint32_t frame)
{
	(void)fputs("    ", context->out);
	functions_write_frame(functions, frame, frame_list_style(context->settings), context->out);
	(void)fputc('\n', context->out);
}

void frame_list_write_none(const struct view_context *context, const struct functions *functions)
{
	(void)fprintf(context->out, "    %s\n", functions_name(functions, FUNCTION_NONE));
}

void frame_list_write(const struct view_context *context, const struct functions *functions,
		      const struct chain *chain)
{
	for (size_t i = 0; i < chain->frames.count; i++) {
		if (context->settings->delimited && i && i == chain->kernel_count)
			(void)fputs("    --\n", context->out);
		frame_list_write_one(context, functions, chain->frames.items[i]);
	}
	if (!chain->frames.count)
		frame_list_write_none(context, functions);
}

/* --- frame texts --- */

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
