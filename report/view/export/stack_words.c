/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/stack_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/view/text/fold.h"
#include "report/view/text/page.h"

int stack_words_init(struct stack_words *words, const struct view_context *context, text_escape *escape)
{
	*words = (struct stack_words){.context = context, .escape = escape};
	(void)profile_frames(context->profile, &words->count);
	words->words = calloc(words->count + 1, sizeof(*words->words));
	if (!words->words)
		return -ENOMEM;
	return functions_create(context->profile, FUNCTIONS_BY_NAME, page_no_frames(context->settings),
				&words->functions);
}

void stack_words_deinit(struct stack_words *words)
{
	for (size_t i = 0; words->words && i < words->count; i++)
		free(words->words[i].text);
	free(words->words);
	functions_destroy(words->functions);
	chain_deinit(&words->chain);
	*words = (struct stack_words){0};
}

/* --- the word of a frame --- */

static void write_frame(const struct stack_words *words, uint32_t frame, uint32_t function, FILE *out)
{
	const struct frame_style style = {.offsets = true};

	if (words->context->settings->offsets && !functions_mark(words->functions, function)[0]) {
		functions_write_frame(words->functions, frame, style, out);
		return;
	}
	(void)fputs(functions_name(words->functions, function), out);
	(void)fputs(functions_mark(words->functions, function), out);
}

/* A filter: writes `text`, changed, to a stream. */
typedef void text_filter(FILE *out, const char *text, const void *context);

static void as_word(FILE *out, const char *text, const void *context)
{
	(void)context;
	fold_word(out, text);
}

static void as_escaped(FILE *out, const char *text, const void *context)
{
	const struct stack_words *words = context;

	words->escape(out, text, strlen(text));
}

/* Replaces the text by the filtered one, and frees the old one. */
static int filter(char **text, text_filter *pass, const void *context)
{
	_cleanup_free_ char *old = *text;
	size_t length;
	FILE *out;

	*text = NULL;
	out = open_memstream(text, &length);
	if (!out)
		return -ENOMEM;
	pass(out, old, context);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

static int make_word(struct stack_words *words, uint32_t frame)
{
	_cleanup_free_ char *text = NULL;
	uint32_t function;
	size_t length;
	FILE *out;
	int r = functions_find(words->functions, frame, &function);

	if (r < 0)
		return r;
	out = open_memstream(&text, &length);
	if (!out)
		return -ENOMEM;
	write_frame(words, frame, function, out);
	if (fclose(out) != 0)
		return -ENOMEM;
	r = filter(&text, as_word, words);
	if (!r)
		r = filter(&text, as_escaped, words);
	if (r < 0)
		return r;
	words->words[frame] = (struct stack_word){.length = strlen(text), .text = text};
	text = NULL;
	return 0;
}

static int write_word(struct stack_words *words, uint32_t frame, FILE *out)
{
	int r = 0;

	if (frame >= words->count)
		return -EBADMSG;
	if (!words->words[frame].text)
		r = make_word(words, frame);
	if (!r)
		(void)fwrite_unlocked(words->words[frame].text, 1, words->words[frame].length, out);
	return r;
}

/* --- stacks --- */

static bool write_missing(const char *word, bool any, FILE *out)
{
	if (any)
		(void)putc_unlocked(';', out);
	(void)fputs_unlocked(word, out);
	return true;
}

/* Writes the frames [first, end) of the chain, which is leaf first, from the last to the first. */
static int write_frames(struct stack_words *words, size_t first, size_t end, bool any, FILE *out)
{
	int r = 0;

	while (!r && end-- > first) {
		if (any)
			(void)putc_unlocked(';', out);
		any = true;
		r = write_word(words, words->chain.frames.items[end], out);
	}
	return r;
}

int stack_words_write(struct stack_words *words, uint32_t node, uint32_t flags, enum stack_owner owner, FILE *out)
{
	const struct view_settings *settings = words->context->settings;
	int r = chain_read(&words->chain, words->context->profile, node);
	size_t count = words->chain.frames.count, kernel = words->chain.kernel_count;
	bool any = false;

	if (r < 0)
		return r;
	if (owner == STACK_OF_INTERRUPT)
		count = kernel;
	if (owner != STACK_OF_SLEEPER && !count)
		any = write_missing(functions_name(words->functions, FUNCTION_NONE), any, out);
	if (owner == STACK_OF_SLEEPER && flags & CHAIN_USER_MISSING && !settings->kernel_only && kernel == count)
		any = write_missing("[Missed User Stack]", any, out);
	r = write_frames(words, 0, count, any, out);
	if (owner == STACK_OF_SLEEPER && !settings->user_only && !kernel)
		(void)write_missing("[Missed Kernel Stack]", any || count, out);
	return r;
}
