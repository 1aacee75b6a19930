/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "report/opener/opener.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_internal.h"

/* Modules with addresses that cannot be named here, sorted by the share of call chains that pass through them. */

struct need { /* by module */
	uint64_t samples, leaves; /* of chains with such an address: anywhere, at the leaf */
	uint64_t addresses;
	uint64_t last_chain; /* the last chain counted, + 1 */
	uint32_t module;
};

struct needs {
	struct profile *profile;
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	const struct profile_module *modules;
	size_t node_count, frame_count, module_count;
	struct need *items; /* one per module */
	bool *frame_seen;
	uint64_t samples, affected, chains;
};

static void needs_deinit(struct needs *needs)
{
	free(needs->items);
	free(needs->frame_seen);
}

static int needs_init(struct needs *needs, struct profile *profile)
{
	*needs = (struct needs){.profile = profile};
	needs->nodes = profile_nodes(profile, &needs->node_count);
	needs->frames = profile_frames(profile, &needs->frame_count);
	needs->modules = profile_modules(profile, &needs->module_count);
	needs->items = calloc(needs->module_count + 1, sizeof(*needs->items));
	needs->frame_seen = calloc(needs->frame_count + 1, sizeof(*needs->frame_seen));
	if (!needs->items || !needs->frame_seen)
		return -ENOMEM;
	for (size_t i = 0; i < needs->module_count; i++)
		needs->items[i].module = (uint32_t)i;
	return 0;
}

/* Counts one frame of a chain. True if it has no name. */
static bool count_frame(struct needs *needs, uint32_t number, uint64_t samples, bool leaf)
{
	const struct profile_symbol *symbol = profile_symbol(needs->profile, number);
	uint32_t module = needs->frames[number].module;
	struct need *need;

	if ((symbol && symbol->name) || module >= needs->module_count)
		return false;
	need = &needs->items[module];
	need->addresses += !needs->frame_seen[number];
	needs->frame_seen[number] = true;
	if (leaf)
		need->leaves += samples;
	if (need->last_chain != needs->chains)
		need->samples += samples;
	need->last_chain = needs->chains;
	return true;
}

static void count_chain(struct needs *needs, uint32_t node, uint64_t samples)
{
	bool leaf = true, affected = false;

	needs->chains++;
	needs->samples += samples;
	for (; node && node < needs->node_count && needs->nodes[node].parent < node;
	     node = needs->nodes[node].parent) {
		affected |= count_frame(needs, needs->nodes[node].frame, samples, leaf);
		leaf = false;
	}
	if (affected)
		needs->affected += samples;
}

static void count_all(struct needs *needs)
{
	const struct profile_walk_task *walked;
	const struct profile_entry *entries;
	size_t count = profile_entries(needs->profile, &entries);

	for (size_t i = 0; i < count; i++)
		count_chain(needs, entries[i].node, entries[i].samples);
	count = profile_walk_tasks(needs->profile, &walked);
	for (size_t i = 0; i < count; i++)
		count_chain(needs, walked[i].node, 1);
}

static const char *why_of(const struct needs *needs, uint32_t module)
{
	struct profile_module_names names;

	profile_module_names(needs->profile, module, &names);
	return names.why;
}

static uint32_t alike_of(const struct needs *needs, uint32_t module)
{
	return needs->profile->modules.items.items[module]->alike;
}

/* Joins modules that differ only in the trace they are from, if they lack names for the same reason. */
static void join_alike(struct needs *needs)
{
	for (uint32_t i = 0; i < needs->module_count; i++) {
		struct need *first = &needs->items[alike_of(needs, i)], *need = &needs->items[i];

		if (first == need || !need->addresses || !first->addresses ||
		    strcmp(why_of(needs, first->module), why_of(needs, i)) != 0)
			continue;
		first->samples += need->samples;
		first->leaves += need->leaves;
		first->addresses += need->addresses;
		*need = (struct need){.module = i};
	}
}

static int compare_needs(const void *left, const void *right, void *context)
{
	const struct need *l = left, *r = right;
	const struct needs *needs = context;
	const struct profile_module *modules = needs->modules;

	return COMPARE(r->samples, l->samples) ?: strcmp(modules[l->module].path, modules[r->module].path) ?:
	       strcmp(modules[l->module].build_id, modules[r->module].build_id) ?: COMPARE(l->module, r->module);
}

static void write_text(FILE *out, const char *text)
{
	printable_write(out, text, strlen(text));
}

static void print_path(FILE *out, const char *before, const char *path, const char *behind)
{
	(void)fputs(before, out);
	write_text(out, path);
	(void)fputs(behind, out);
}

/* The files that were tried, so that nobody provides one that is already there. */
static void print_sources(const struct needs *needs, uint32_t number, FILE *out)
{
	struct profile_module_names names;

	profile_module_names(needs->profile, number, &names);
	if (names.from) {
		(void)fprintf(out, "    names are from %s", names.from);
		if (names.path[0])
			print_path(out, " ('", names.path, "')");
		(void)fputc('\n', out);
	}
	if (names.refused[0])
		print_path(out, "    '", names.refused, "' was refused: it is another file's\n");
}

static void print_reason(const struct needs *needs, uint32_t number, FILE *out)
{
	struct profile_module_names names;

	profile_module_names(needs->profile, number, &names);
	(void)fprintf(out, "    why: %s\n", names.why);
}

/* The runtimes that can write the files that the recorder reads. */
static void print_runtimes(FILE *out)
{
	static const char *const runtimes[][2] = {
		{"Java", "jcmd PID Compiler.perfmap, before the recording ends; "
			 "java -XX:+PreserveFramePointer for its stacks"},
		{"Node.js", "node --perf-basic-prof"},
		{"Python", "python3 -X perf (3.12 or newer)"},
		{"Erlang", "erl +JPperf true"},
		{".NET", "DOTNET_PerfMapEnabled=1"},
	};

	(void)fputs("    the recorder takes names from /tmp/perf-PID.map, "
		    "which most runtimes write if asked to:\n", out);
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		(void)fprintf(out, "      %-8s %s\n", runtimes[i][0], runtimes[i][1]);
}

/* Where a file would be searched for. */
static void print_remedy(const struct profile_module *module, FILE *out)
{
	if (!module->build_id[0] && !strcmp(module->name, "[anon]")) {
		print_runtimes(out);
		return;
	}
	if (!module->build_id[0]) {
		(void)fputs(module->path[0] == '/' ?
			    "    has no build-id, so no file can be recognized as the right one\n" :
			    "    is not a file: code made at run time, or memory without a known mapping\n", out);
		return;
	}
	if (module->kernel && strcmp(module->name, "[kernel]") != 0)
		(void)fputs("    put the .ko file into /lib/modules/RELEASE of that kernel "
			    "(or below --symfs DIR), or give --debug-dir DIR with it at\n",
			    out);
	else if (module->kernel)
		(void)fputs("    give the kernel's ELF file with --vmlinux, or the symbols with --kallsyms\n", out);
	else if (module->path[0] == '/')
		(void)fputs("    put the file itself there (or below --symfs DIR), "
			    "or give --debug-dir DIR (/usr/lib/debug ...) with its debug file at\n",
			    out);
	(void)fprintf(out, "    DIR/.build-id/%.2s/", module->build_id);
	write_text(out, module->build_id + (strlen(module->build_id) > 2 ? 2 : 0));
	(void)fputs(".debug\n", out);
	print_path(out, "    or give --debuginfod, which asks the servers for buildid/", module->build_id,
		   "/debuginfo\n");
}

static void print_need(const struct needs *needs, const struct need *need, FILE *out)
{
	const struct profile_module *module = &needs->modules[need->module];

	(void)fputc('\n', out);
	write_text(out, module->path[0] ? module->path : module->name);
	(void)fputs("\n    build-id ", out);
	write_text(out, module->build_id[0] ? module->build_id : "none");
	(void)fprintf(out,
		      "\n    in %s%% of the call chains, at the leaf of %s%%; "
		      "%" PRIu64 " addresses without a name\n",
		      figure_percent(need->samples, needs->samples).text,
		      figure_percent(need->leaves, needs->samples).text, need->addresses);
	print_sources(needs, need->module, out);
	print_reason(needs, need->module, out);
	print_remedy(module, out);
}

/* All modules for which names were needed, if requested. */
static void print_used(const struct needs *needs, FILE *out)
{
	(void)fputs("\n# where names are from\n", out);
	for (size_t i = 0; i < needs->module_count; i++) {
		const struct profile_module *module = &needs->modules[i];
		struct profile_module_names names;

		profile_module_names(needs->profile, (uint32_t)i, &names);
		if (!names.from)
			continue;
		print_path(out, "", module->path[0] ? module->path : module->name, ": ");
		(void)fputs(names.from, out);
		print_path(out, names.path[0] ? " ('" : "", names.path, names.path[0] ? "')\n" : "\n");
	}
}

/* Files that may have names, by the reason why they were not opened. */
static int print_refused(const struct needs *needs, FILE *out)
{
	_cleanup_(opener_refusals_deinit) struct opener_refusals refusals = {0};
	bool any = false;
	int r = opener_refusals(needs->profile->names.opener, &refusals);

	for (enum opener_reason i = 0; i < OPENER_REASONS && !r; i++) {
		if (!refusals.counts[i])
			continue;
		if (!any)
			(void)fputs("\n# files that were not opened\n", out);
		any = true;
		(void)fprintf(out, "%" PRIu64 " %s: '", refusals.counts[i], opener_reason_text(i));
		print_path(out, "", refusals.examples[i], refusals.counts[i] > 1 ? "' ...\n" : "'\n");
	}
	return r;
}

static void print_needs(struct needs *needs, FILE *out)
{
	size_t count = 0;

	if (needs->module_count)
		qsort_r(needs->items, needs->module_count, sizeof(*needs->items), compare_needs, needs);
	while (count < needs->module_count && needs->items[count].addresses)
		count++;
	(void)fprintf(out,
		      "# %" PRIu64 " of %" PRIu64
		      " call chains (%s%%) have an address without a name, in %zu modules\n",
		      needs->affected, needs->samples,
		      figure_percent(needs->affected, needs->samples).text, count);
	for (size_t i = 0; i < count; i++)
		print_need(needs, &needs->items[i], out);
}

static int run(const struct tool_request *request, bool *ret_damaged)
{
	_cleanup_(needs_deinit) struct needs needs = {0};
	struct profile *profile;
	int r = profile_create(request->paths, request->path_count, request->filter, request->names, &profile);

	if (r < 0)
		return r;
	r = needs_init(&needs, profile);
	if (!r) {
		count_all(&needs);
		join_alike(&needs);
		print_needs(&needs, request->out);
		r = print_refused(&needs, request->out);
		if (request->verbose)
			print_used(&needs, request->out);
		*ret_damaged = profile_lost(profile);
		if (!r)
			r = profile_check_names(profile);
		for (size_t i = 0; i < profile->file_count; i++)
			(void)trace_file_report_cut(profile->files[i]);
	}
	profile_destroy(profile);
	return r;
}

const struct tool needs_tool = {
	TOOL_OPTION("needs", .help = "modules without symbols, and where to put the files"),
	.run = run, .for_people = true,
};
