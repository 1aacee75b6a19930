/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/info_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/tool/info_text.h"

static const char *hook_name(uint32_t hook)
{
	static const char *const names[] = {
		[HOOK_RAW_TRACEPOINT] = "raw tracepoint", [HOOK_TRACEPOINT] = "tracepoint",
		[HOOK_FENTRY] = "fentry",		  [HOOK_KPROBE] = "kprobe",
		[HOOK_KPROBE_MULTI] = "kprobe.multi",
	};

	return hook < sizeof(names) / sizeof(names[0]) && names[hook] ?
	       names[hook] : "attached in an unknown way";
}

static bool was_hit(const struct trace_probe *probe)
{
	return !probe->counted || probe->hits.hits || probe->hits.missed;
}

static void print_probe(const struct trace_probe *probe, FILE *out)
{
	(void)fprintf(out, "  %-16s%" PRIu32 ": ", "probe", probe->id);
	info_text(out, probe->name[0] ? probe->name : "without a name");
	if (probe->source)
		(void)fprintf(out, " of source %" PRIu32 ", %s", probe->source, hook_name(probe->hook));
	if (!probe->counted) {
		(void)fputs(", hits not known\n", out);
		return;
	}
	(void)fprintf(out, ", %" PRIu64 " hits", probe->hits.hits);
	if (probe->hits.skipped)
		(void)fprintf(out, ", %" PRIu64 " of them skipped by --rate-limit", probe->hits.skipped);
	if (probe->hits.missed)
		(void)fprintf(out, ", %" PRIu64 " more missed by the kernel", probe->hits.missed);
	(void)fputc('\n', out);
}

static int compare_ids(const void *left, const void *right)
{
	const struct trace_probe *l = left, *r = right;

	return (l->id > r->id) - (l->id < r->id);
}

void info_probes(const struct trace_model *model, bool verbose, FILE *out)
{
	size_t count = model->probes.count, idle = 0;
	_cleanup_free_ struct trace_probe *sorted = calloc(count + 1, sizeof(*sorted));

	if (!sorted) {
		info_line(out, "probe", "not enough memory to list them; --max-memory raises the limit");
		return;
	}
	if (count)
		memcpy(sorted, model->probes.items, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_ids);
	for (size_t i = 0; i < count; i++) {
		if (verbose || was_hit(&sorted[i]))
			print_probe(&sorted[i], out);
		else
			idle++;
	}
	if (idle)
		(void)fprintf(out, "  %-16s%zu others were not hit; -v lists them\n", "probe", idle);
}
