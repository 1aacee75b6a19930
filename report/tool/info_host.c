/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/container.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/tool/info_parts.h"

static const char not_closed[] = "not closed: the recorder was killed or is still writing; what "
				 "is missing is unknown; 'rwalker-record --finalize FILE' on the "
				 "same boot adds the missing symbols";

static const struct {
	const char *key, *label;
} lines[] = {
	{"hostname", "host"},
	{"machine", "machine"},
	{"cpus", "CPUs"},
	{"kernel_release", "kernel"},
	{"kernel_version", ""},
	{"boot_id", "boot"},
	{"recorder", "recorder"},
	{"command_line", "command line"},
	{"memory", "memory"},
	{"refused", "files not read"},
	{"embed_late", "files too slow"},
	{"helpers_ended", "helpers ended"},
	{"helpers_left", "helpers left"},
	{"throttling", "throttling"},
	{"condensed", "condensed"},
	{"scrubbed", "scrubbed"},
};

/* Keys that have lines of their own, here or elsewhere. */
static bool is_listed(const char *key)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strcmp(lines[i].key, key))
			return true;
	return !strcmp(key, "cgroups");
}

static const char *ending(const struct trace_section *section)
{
	static const char *const reasons[] = {
		[RWK_END_CLEAN] = "in order",
		[RWK_END_SIGNAL] = "by a second signal: what was not embedded by then is missing",
		[RWK_END_NO_SPACE] = "because the disk was full; what is missing is unknown",
		[RWK_END_IO_ERROR] = "because writing failed; what is missing is unknown",
		[RWK_END_SIZE_LIMIT] = "because the largest size was reached",
		[RWK_END_PIPE] = "because the reader of the pipe went away; what is missing is unknown",
	};

	if (!section->closed)
		return not_closed;
	return section->end_reason < sizeof(reasons) / sizeof(reasons[0]) ?
	       reasons[section->end_reason] : "for a reason that this version does not know";
}

static void print_id(const struct trace_section *section, FILE *out)
{
	(void)fprintf(out, "  %-16s", "id");
	for (size_t i = 0; i < sizeof(section->header.section_id); i++)
		(void)fprintf(out, "%02x", section->header.section_id[i]);
	(void)fputc('\n', out);
}

void info_host(const struct trace_model *model, const struct trace_section *section, FILE *out)
{
	const uint64_t began = trace_model_realtime(model, model->start);
	const uint64_t realtime = began ? began : section->header.realtime;

	print_id(section, out);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		info_line(out, lines[i].label, trace_model_meta(model, lines[i].key));
	for (size_t i = 0; i < model->metas.count; i++)
		if (!is_listed(model->metas.items[i].key)) {
			(void)fputs("  ", out);
			info_text(out, model->metas.items[i].key);
			(void)fputs(": ", out);
			info_text(out, model->metas.items[i].value);
			(void)fputc('\n', out);
		}
	(void)fprintf(out, "  %-16s%s UTC, for %s s\n", "recorded", figure_date(realtime).text,
		      figure_seconds(model->stop > model->start ? model->stop - model->start : 0).text);
	info_line(out, "ended", ending(section));
}

/* How far the wall clock moved against the trace's clock between two readings. */
static int64_t drift(const struct event_clock *from, const struct event_clock *to)
{
	return (int64_t)((to->realtime - from->realtime) - (to->time - from->time));
}

void info_clocks(const struct trace_model *model, FILE *out)
{
	size_t count = model->clocks.count;
	uint64_t window = 0;

	if (!count) {
		info_line(out, "clocks", "no reading: times of day are those of the file header");
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (model->clocks.items[i].window > window)
			window = model->clocks.items[i].window;
	(void)fprintf(out, "  %-16s%zu reading%s, each within %" PRIu64 " ns; "
			   "the time of day moved by %" PRId64 " ns\n", "clocks", count, count == 1 ? "" : "s", window,
		      drift(&model->clocks.items[0], &model->clocks.items[count - 1]));
}

static const char *source_name(uint32_t kind)
{
	static const char *const names[] = {
		[SOURCE_CPU] = "cpu",		    [SOURCE_OFFCPU] = "offcpu", [SOURCE_WAKERS] = "wakers",
		[SOURCE_TRACEPOINT] = "tracepoint", [SOURCE_KFUNC] = "kfunc",	[SOURCE_TASKS] = "tasks",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "of an unknown kind";
}

static void print_source(const struct trace_model *model, const struct trace_source *source, FILE *out)
{
	const struct event_source *event = &source->event;
	uint64_t start = event->start > model->start ? event->start - model->start : 0;
	uint64_t stop = event->stop > model->start ? event->stop - model->start : 0;

	(void)fprintf(out, "  %-16s%" PRIu32 ": %s ", "source", event->id, source_name(event->kind));
	info_text(out, source->name);
	if (event->frequency)
		(void)fprintf(out, ", %" PRIu64 " Hz per CPU", event->frequency);
	if (event->period)
		(void)fprintf(out, ", period %" PRIu64, event->period);
	(void)fprintf(out, ", from %s s to %s s", figure_seconds(start).text, figure_seconds(stop).text);
	if (event->flags & SOURCE_USER_STACKS)
		(void)fputs(", with user stacks", out);
	if (event->flags & SOURCE_USER_STACKS && event->flags & SOURCE_SNAPSHOTS)
		(void)fputs(" and snapshots of them", out);
	if (event->flags & SOURCE_SOFTWARE_FALLBACK)
		(void)fputs(", as there was no hardware counter", out);
	(void)fputc('\n', out);
}

void info_sources(const struct trace_model *model, FILE *out)
{
	for (size_t i = 0; i < model->sources.count; i++)
		print_source(model, &model->sources.items[i], out);
	if (!model->sources.count)
		info_line(out, "source", "none");
}

/* --- probes --- */

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

	return COMPARE(l->id, r->id);
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

/* --- control groups --- */

struct counts {
	size_t groups, containers, made, removed;
};

static struct counts count(const struct trace_model *model)
{
	struct counts counts = {.groups = model->cgroups.count};
	char id[CONTAINER_ID + 1];

	for (size_t i = 0; i < model->cgroups.count; i++) {
		const struct trace_cgroup *cgroup = &model->cgroups.items[i];

		counts.containers += container_find(cgroup->path, id);
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
