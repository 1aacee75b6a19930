/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <string.h>

#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_internal.h"
#include "report/tool/info_parts.h"

static void print_trigger(const struct trace_model *model, const struct trace_trigger *trigger, FILE *out)
{
	const struct event_trigger *about = &trigger->about;
	char value[PROFILE_DUMP_VALUE];

	info_text(out, trigger->rule);
	if (about->tid) {
		(void)fputs(", ", out);
		info_text(out, trigger->comm);
		(void)fprintf(out, " (tid %" PRIu32 ")", about->tid);
	}
	if (*profile_dump_value(trigger->rule, about->value, value))
		(void)fprintf(out, ", %s", value);
	(void)fprintf(out, ", %s s before its end\n",
		      figure_seconds(model->window.until > about->time ? model->window.until - about->time : 0).text);
}

void info_flight(const struct trace_model *model, FILE *out)
{
	const struct event_window *window = &model->window;
	const struct trace_trigger *reason = trace_model_reason(model);
	uint64_t others = 0;

	for (size_t i = 0; i < model->triggers.count; i++)
		others += model->triggers.items[i].about.more + !model->triggers.items[i].about.dump;
	if (!window->dump)
		return;
	(void)fprintf(out, "  %-16snumber %" PRIu64 ": the last %s s of %s s; %s s were asked for, in at most %s\n",
		      "dump", window->dump, figure_seconds(window->until - window->since).text,
		      figure_seconds(window->until - window->since + window->before).text,
		      figure_seconds(window->asked).text, figure_bytes(window->room).text);
	if (reason) {
		(void)fprintf(out, "  %-16s", "made for");
		print_trigger(model, reason, out);
	}
	if (others)
		(void)fprintf(out, "  %-16s%" PRIu64 " other%s in this time made no dump\n", "triggers", others,
			      plural(others));
}

void info_budget(const struct trace_model *model, FILE *out)
{
	struct budget_span span;
	char text[BUDGET_TEXT];
	size_t cursor = 0;

	while (budget_spans_next(model, &cursor, &span)) {
		const struct budget_lack lack = budget_lack_of(model, span.record, true, true);

		(void)fprintf(out, "  %-16sfrom %s s to %s s: %s (before, %.2f%% of one CPU were used, of %.9g%%)\n",
			      lack.everything ? "paused" : "recorded less", figure_seconds(span.from - model->start).text,
			      figure_seconds(span.until - model->start).text,
			      lack.everything ? "nothing was recorded" : budget_text(&lack, text),
			      (double)span.record->used / 100, (double)span.record->budget / 100);
	}
}
