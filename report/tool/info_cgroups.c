/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The control groups that threads were in, and what is not known about them. */
#include <string.h>

#include "common/container/container.h"
#include "common/plural.h"
#include "report/tool/info_parts.h"
#include "report/tool/info_text.h"

struct counts {
	size_t groups, containers, made, removed;
};

static struct counts count(const struct trace_model *model)
{
	struct counts counts = {.groups = model->cgroups.count};
	struct container container;

	for (size_t i = 0; i < model->cgroups.count; i++) {
		const struct trace_cgroup *cgroup = &model->cgroups.items[i];

		counts.containers += container_find(cgroup->path, &container);
		counts.made += !cgroup->initial && *cgroup->path;
		counts.removed += cgroup->removed != 0;
	}
	return counts;
}

static void print_each(const struct trace_model *model, FILE *out)
{
	for (size_t i = 0; i < model->cgroups.count; i++) {
		const struct trace_cgroup *cgroup = &model->cgroups.items[i];

		(void)fputs("    ", out);
		info_text(out, *cgroup->path ? cgroup->path : "its path is unknown");
		(void)fputs(cgroup->removed ? " (removed)" : "", out);
		(void)fputc('\n', out);
	}
}

void info_cgroups(const struct trace_model *model, bool verbose, FILE *out)
{
	const char *words = trace_model_meta(model, "cgroups");
	struct counts counts = count(model);

	if (!words && !counts.groups)
		return;
	(void)fprintf(out, "  %-16s%zu that threads were in, of %zu container%s; ", "control groups", counts.groups,
		      counts.containers, plural(counts.containers));
	(void)fprintf(out, "%zu made and %zu removed while it was recorded\n", counts.made, counts.removed);
	if (words && strstr(words, "v1"))
		(void)fprintf(out, "  %-16sthe host has those of version 1, too, which are not recorded: "
				   "its containers may be there\n", "");
	if (words && strstr(words, "namespace"))
		(void)fprintf(out, "  %-16spaths are below the recorder's own root: it ran in a cgroup namespace\n",
			      "");
	if (words && strstr(words, "incomplete"))
		(void)fprintf(out, "  %-16ssome have no path: they could not all be listed\n", "");
	if (verbose)
		print_each(model, out);
}
