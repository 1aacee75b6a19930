/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Stacks as one text, "root;...;leaf", with the words of --folded, escaped for the syntax of an
 * export. The word of each frame is made only once; the stacks of a million events are assembled
 * from these words.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_STACK_WORDS_H
#define RWALKER_REPORT_VIEW_EXPORT_STACK_WORDS_H

#include "report/view/export/name_text.h"
#include "report/view/look/chain.h"
#include "report/view/look/functions.h"
#include "report/view/text/view.h"

struct stack_words {
	const struct view_context *context;
	text_escape *escape;
	struct functions *functions;
	struct stack_word {
		char *text; /* NULL: not used yet */
		size_t length;
	} *words; /* by frame */
	size_t count;
	struct chain chain;
};

int stack_words_init(struct stack_words *words, const struct view_context *context, text_escape *escape);
void stack_words_deinit(struct stack_words *words);

enum stack_owner { STACK_OF_SAMPLE, STACK_OF_SLEEPER, STACK_OF_INTERRUPT };

/*
 * The inside of a string. Missing parts of a sleeper's stack have words of their own, as in
 * --folded. Only the kernel part of an interrupt's stack is shown. `flags`: enum
 * profile_chain_flag.
 */
int stack_words_write(struct stack_words *words, uint32_t node, uint32_t flags, enum stack_owner owner, FILE *out);

#endif
