/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/view.h"

#include <inttypes.h>

#include "common/cleanup.h"
#include "report/view/fold.h"
#include "report/view/section.h"
#include "report/view/stack_table.h"

/* "comm;root;...;leaf N", a line per stack, for flame graphs; of waits the lines of bcc's offcputime. */
int folded_section(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	bool waits = source->kind == PROFILE_OFFCPU;
	_cleanup_(stack_table_deinit) struct stack_table table;
	_cleanup_(chain_deinit) struct chain chain = {0};
	struct fold fold = {.context = context, .names = &table.names};
	int r = stack_table_init(&table, context, number, FUNCTIONS_BY_NAME, waits && !context->settings->kernel_only);

	fold.functions = table.functions;
	for (size_t i = 0; !r && i < table.stacks.count; i++) {
		const struct unique_stack *stack = &table.stacks.items[i];

		r = chain_read(&chain, context->profile, stack->node);
		if (r < 0)
			return r;
		fold_owner(&fold, stack->comm, stack->process);
		r = waits ? fold_sleeper(&fold, &chain, stack->user_missing) : fold_chain(&fold, &chain);
		(void)fprintf(context->out, " %" PRIu64 "\n", section_figure(source, stack->samples, stack->weight));
	}
	return r;
}
