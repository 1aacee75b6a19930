/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/frame_list.h"

void frame_list_write(const struct view_context *context, const struct functions *functions,
		      const struct chain *chain)
{
	const struct frame_style style = frame_list_style(context->settings);
	FILE *out = context->out;

	for (size_t i = 0; i < chain->frames.count; i++) {
		if (context->settings->delimited && i && i == chain->kernel_count)
			(void)fputs("    --\n", out);
		(void)fputs("    ", out);
		functions_write_frame(functions, chain->frames.items[i], style, out);
		(void)fputc('\n', out);
	}
	if (!chain->frames.count)
		(void)fprintf(out, "    %s\n", functions_name(functions, FUNCTION_NONE));
}
