/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/container.h"
#include "common/log.h"
#include "common/printable.h"
#include "format/event_layout.h"
#include "report/profile/figures.h"
#include "report/tool/tool_internal.h"

/* --- host, sources --- */

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

/* --- records --- */

struct contents {
	uint64_t records[EVENT_KINDS];
	uint64_t symbols, damaged, malformed;
};

static const char *const chunk_names[RWK_CHUNK_NAMES + 1] = {
	"of other types", "STATE", "EVENTS", "EMBED", "END", "SNAPSHOTS", "NAMES",
};

static void print_chunks(const struct trace_model *model, FILE *out)
{
	for (size_t type = 0; type <= RWK_CHUNK_NAMES; type++) {
		const struct chunk_statistics *row = &model->statistics[(type + 1) % (RWK_CHUNK_NAMES + 1)];

		if (!row->chunks)
			continue;
		(void)fprintf(out, "  %-16s%" PRIu64 " %s", "chunks", row->chunks,
			      chunk_names[(type + 1) % (RWK_CHUNK_NAMES + 1)]);
		(void)fprintf(out, ", %s on disk, %s unpacked\n", figure_bytes(row->stored_bytes).text,
			      figure_bytes(row->raw_bytes).text);
	}
}

static int count_payload(struct event_decoder *decoder, const struct trace_chunk *chunk, const void *payload,
			 struct contents *contents)
{
	struct event event;
	int r;

	event_decoder_start(decoder, payload, chunk->header.raw_size);
	while ((r = event_decoder_next(decoder, &event)) > 0) {
		if ((unsigned int)event.kind < EVENT_KINDS)
			contents->records[event.kind]++;
		if (event.kind == EVENT_EMBED_SYMBOLS)
			contents->symbols += event.embed_symbols.count;
		if (event.kind == EVENT_PERF_MAP)
			contents->symbols += event.perf_map.count;
	}
	contents->malformed += r == -EBADMSG;
	return r == -EBADMSG ? 0 : r;
}

static bool holds_records(const struct trace_chunk *chunk)
{
	uint16_t type = chunk->header.type;

	return type == RWK_CHUNK_STATE || type == RWK_CHUNK_EVENTS ||
	       type == RWK_CHUNK_EMBED || type == RWK_CHUNK_END || type == RWK_CHUNK_SNAPSHOTS ||
	       type == RWK_CHUNK_NAMES;
}

static int count_records(struct trace_file *file, uint32_t section, struct contents *contents)
{
	struct event_decoder *decoder = NULL;
	int r = event_decoder_create(&decoder);

	for (uint32_t i = 0; !r && i < file->chunk_count; i++) {
		const void *payload;

		if (file->chunks[i].section != section || !holds_records(&file->chunks[i]))
			continue;
		r = trace_file_load(file, i, &payload);
		contents->damaged += r == -EBADMSG;
		if (!r)
			r = count_payload(decoder, &file->chunks[i], payload, contents);
		else if (r == -EBADMSG)
			r = 0;
	}
	event_decoder_destroy(decoder);
	return r;
}

static void print_records(const struct contents *contents, FILE *out)
{
	bool any = false;

	(void)fprintf(out, "  %-16s", "records");
	for (size_t kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_layout *layout = event_layout_find(kind);

		if (!layout || !contents->records[kind])
			continue;
		(void)fprintf(out, "%s%" PRIu64 " %s", any ? ", " : "", contents->records[kind],
			      layout->name);
		any = true;
	}
	(void)fprintf(out, "%s\n", any ? "" : "none");
	if (contents->symbols)
		(void)fprintf(out, "  %-16s%" PRIu64 "\n", "symbols", contents->symbols);
	if (contents->damaged || contents->malformed)
		(void)fprintf(out,
			      "  %-16s%" PRIu64 " chunks cannot be unpacked, "
			      "%" PRIu64 " end in a record that cannot be decoded\n",
			      "damaged", contents->damaged, contents->malformed);
}

/* Warns about content that should not be passed on carelessly. */
static void print_stacks(const struct trace_model *model, const struct contents *contents, FILE *out)
{
	const struct chunk_statistics *snapshots = &model->statistics[RWK_CHUNK_SNAPSHOTS];

	(void)fprintf(out, "  %-16s", "stacks");
	if (snapshots->chunks)
		(void)fprintf(out,
			      "%" PRIu64 " snapshots, %s on disk: the file holds stack memory; "
			      "--condense takes it out\n",
			      contents->records[EVENT_SNAPSHOT], figure_bytes(snapshots->stored_bytes).text);
	else
		(void)fputs("no stack memory\n", out);
}

/* What whoever gets the file learns from it. */
static void print_names(const struct trace_model *model, FILE *out)
{
	static const struct {
		enum rwk_chunk_type type;
		const char *text;
	} names[] = {
		{RWK_CHUNK_STATE, "STATE: of the host, the command line, files and build-ids, control groups, probes"},
		{RWK_CHUNK_EVENTS, "EVENTS: of threads (comm)"},
		{RWK_CHUNK_EMBED, "EMBED: of functions, source files; parts of programs, unless condensed"},
		{RWK_CHUNK_SNAPSHOTS, "SNAPSHOTS: whatever was on a stack"},
		{RWK_CHUNK_NAMES, "NAMES: files, sockets and addresses that were waited for"},
	};
	const char *label = "names";

	if (trace_model_meta(model, "scrubbed")) {
		info_line(out, label, "stand-ins, but for the kernel's");
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (model->statistics[names[i].type].chunks) {
			(void)fprintf(out, "  %-16s%s\n", label, names[i].text);
			label = "";
		}
	info_line(out, "", "--scrub replaces them, --condense takes out stacks and those that no event needs");
}

int info_contents(struct trace_file *file, const struct trace_model *model, FILE *out)
{
	struct contents contents = {0};
	int r;

	print_chunks(model, out);
	r = count_records(file, model->section, &contents);
	if (r < 0)
		return log_error(-r, "cannot read '%s': %s", file->path, strerror(-r));
	print_records(&contents, out);
	print_stacks(model, &contents, out);
	print_names(model, out);
	return 0;
}

/* The recorded time, of which CPU time is printed as a share. */
static uint64_t recorded_time(const struct trace_model *model)
{
	return model->stop > model->start ? model->stop - model->start : 0;
}

void info_cost(const struct trace_model *model, FILE *out)
{
	const struct event_cost *cost = &model->cost;

	if (!cost->time) {
		info_line(out, "cost", "the trace does not say");
		return;
	}
	(void)fprintf(out, "  %-16s%s s user and %s s system, %s%% of one CPU", "cost",
		      figure_seconds(cost->user_ns).text, figure_seconds(cost->system_ns).text,
		      figure_percent(cost->user_ns + cost->system_ns, recorded_time(model)).text);
	if (cost->bpf_ns)
		(void)fprintf(out, "; in BPF programs %s s", figure_seconds(cost->bpf_ns).text);
	(void)fprintf(out, "; memory %s and %s of rings; %s written\n", figure_bytes(cost->max_rss).text,
		      figure_bytes(cost->ring_bytes).text, figure_bytes(cost->written).text);
}

/* --- modules --- */

static const char *embed_name(uint32_t status)
{
	static const char *const names[] = {
		[0] = "not hit, or not asked for",
		[EMBED_FULL] = "full",
		[EMBED_MIN] = "min",
		[EMBED_NO_FILE] = "no file: it could not be opened in time",
		[EMBED_CHANGED] = "changed: the file has another build-id by now",
		[EMBED_UNREADABLE] = "unreadable",
		[EMBED_NO_ROOM] = "no room",
		[EMBED_REFUSED] = "refused: the file is not read because of what or whose it is",
		[EMBED_LATE] = "late: all files together, or those of its owner, took too long",
	};

	return status < sizeof(names) / sizeof(names[0]) ? names[status] : "unknown";
}

static const char *kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[MODULE_FILE] = "file",
		[MODULE_KERNEL] = "kernel",
		[MODULE_KERNEL_MODULE] = "kernel module",
		[MODULE_BPF] = "BPF program",
		[MODULE_KERNEL_OTHER] = "kernel text made at run time",
		[MODULE_VDSO] = "vDSO",
		[MODULE_ANONYMOUS] = "memory without a file",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "of an unknown kind";
}

static int compare_modules(const void *left, const void *right)
{
	const struct trace_module *l = *(const struct trace_module *const *)left;
	const struct trace_module *r = *(const struct trace_module *const *)right;
	int order = strcmp(l->path, r->path);

	return order ? order : (l->id > r->id) - (l->id < r->id);
}

static void print_module(const struct trace_module *module, FILE *out)
{
	char id[BUILD_ID_TEXT];

	build_id_text(&module->build_id, id);
	(void)fputs("    ", out);
	info_text(out, module->path[0] ? module->path : "(without a path)");
	(void)fprintf(out, " (%s%s): %s", kind_name(module->kind),
		      module->flags & MODULE_DELETED ? ", deleted" : "",
		      embed_name(module->embed_status));
	(void)fprintf(out, "%s%s\n", *id ? ", build-id " : "", id);
}

/* How many modules have each embed status. */
static void print_summary(const struct trace_model *model, FILE *out)
{
	uint64_t counts[EMBED_LATE + 2] = {0};

	for (size_t i = 0; i < model->modules.count; i++) {
		uint32_t status = model->modules.items[i].embed_status;

		counts[status <= EMBED_LATE ? status : EMBED_LATE + 1]++;
	}
	(void)fprintf(out, "  %-16s%zu", "modules", model->modules.count);
	for (uint32_t status = 0; status < EMBED_LATE + 2; status++)
		if (counts[status])
			(void)fprintf(out, "; %" PRIu64 " %s", counts[status], embed_name(status));
	(void)fputc('\n', out);
}

void info_modules(const struct trace_model *model, bool verbose, FILE *out)
{
	size_t count = model->modules.count;
	_cleanup_free_ const struct trace_module **sorted = calloc(count + 1, sizeof(*sorted));

	print_summary(model, out);
	if (!sorted) {
		info_line(out, "", "not enough memory to list them; --max-memory raises the limit");
		return;
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = &model->modules.items[i];
	qsort(sorted, count, sizeof(*sorted), compare_modules);
	for (size_t i = 0; i < count; i++)
		if (verbose || sorted[i]->embed_status)
			print_module(sorted[i], out);
	if (model->perf_maps.count)
		(void)fprintf(out, "  %-16sof %zu processes\n", "JIT symbols", model->perf_maps.count);
}
