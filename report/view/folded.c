/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/view/chain.h"
#include "report/view/section.h"
#include "report/view/stack_table.h"

/* "comm;root;...;leaf N", a line per stack, for flame graphs. A ';' within a name becomes ':'. */

static void write_part(FILE *out, const char *text)
{
	for (size_t length; *text; text += length) {
		length = strcspn(text, ";");
		printable_write(out, text, length);
		if (text[length] == ';') {
			(void)fputc(':', out);
			length++;
		}
	}
}

static int write_frame(const struct view_context *context, const struct stack_table *table, uint32_t frame)
{
	const struct frame_style style = {.offsets = true};
	_cleanup_free_ char *text = NULL;
	uint32_t function;
	size_t length;
	FILE *stream;
	int r = functions_find(table->functions, frame, &function);

	if (r < 0)
		return r;
	if (!context->settings->offsets) {
		write_part(context->out, functions_name(table->functions, function));
		return 0;
	}
	stream = open_memstream(&text, &length);
	if (!stream)
		return -ENOMEM;
	functions_write_frame(table->functions, frame, style, stream);
	if (fclose(stream) != 0)
		return -ENOMEM;
	write_part(context->out, text);
	return 0;
}

static int write_frames(const struct view_context *context, const struct stack_table *table, const struct chain *chain)
{
	for (size_t i = chain->frames.count; i-- > 0;) {
		int r;

		(void)fputc(';', context->out);
		r = write_frame(context, table, chain->frames.items[i]);
		if (r < 0)
			return r;
		if (context->settings->delimited && i && i == chain->kernel_count)
			(void)fputs(";-", context->out);
	}
	if (!chain->frames.count)
		(void)fprintf(context->out, ";%s", functions_name(table->functions, FUNCTION_NONE));
	return 0;
}

static void write_owner(const struct view_context *context, const struct stack_table *table,
			const struct unique_stack *stack)
{
	write_part(context->out, table->names.comms[stack->comm]);
	if (context->settings->per_process) {
		(void)fputc('-', context->out);
		task_names_write_process(&table->names, stack->process, context->out);
	}
}

int folded_section(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(stack_table_deinit) struct stack_table table;
	_cleanup_(chain_deinit) struct chain chain = {0};
	int r = stack_table_init(&table, context, number, FUNCTIONS_BY_NAME);

	for (size_t i = 0; !r && i < table.stacks.count; i++) {
		const struct unique_stack *stack = &table.stacks.items[i];

		r = chain_read(&chain, context->profile, stack->node);
		if (r < 0)
			return r;
		write_owner(context, &table, stack);
		r = write_frames(context, &table, &chain);
		(void)fprintf(context->out, " %" PRIu64 "\n", section_figure(source, stack->samples, stack->weight));
	}
	return r;
}
