/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/options/report_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "report/options/report_option_filters.h"
#include "report/options/report_option_rows.h"

enum {
	MIN_SHARE = 2500, /* 0.25 %, in millionths */
	MAX_SECONDS = 600,
	MAX_PAGE = 32 << 20,
};

static int check_condense(const struct report_options *options)
{
	if (options->tool != &condense_tool && options->tool != &scrub_tool)
		return 0;
	if (options->filter_text[0] || options->filter.user_only || options->filter.kernel_only ||
	    options->filter.user_threads || options->filter.kernel_threads)
		return log_error(EINVAL, "--%s takes no filters: filter the reports of its trace", tool_name(options->tool));
	if (options->paths.count > 1)
		return log_error(EINVAL, "--%s takes one trace at a time", tool_name(options->tool));
	return 0;
}

static int check_groups(const struct report_options *options)
{
	if (!options->settings.by)
		return 0;
	if (options->tool)
		return log_error(EINVAL, "--by and --%s cannot be used together", tool_name(options->tool));
	if (options->view && !options->view->by)
		return log_error(EINVAL, "--by goes with --tree, --top-down, --functions, --histogram, --stacks, "
					 "--wakers and --folded, not with --%s", view_name(options->view));
	return 0;
}

static int check_base(const struct report_options *options)
{
	const struct view *view = options->view;

	if (view && view->must_compare && !options->bases.count)
		return log_error(EINVAL, "--%s requires --base FILE: the trace to compare with", view_name(view));
	if (!options->bases.count || (view && view->may_compare))
		return 0;
	if (view || options->tool)
		return log_error(EINVAL, "--base goes with --diff and --html, not with --%s",
				 view ? view_name(view) : tool_name(options->tool));
	return log_error(EINVAL, "--base requires --diff or --html");
}

static int check_output(const struct report_options *options)
{
	const struct tool *tool = options->tool;
	bool writes = (tool && tool->writes) || (options->view && options->view->exports);

	if (tool && tool->writes && !options->output)
		return log_error(EINVAL, "--%s requires -o FILE", tool_name(tool));
	if (options->view && options->view->needs_file && (!options->output || !strcmp(options->output, "-")))
		return log_error(EINVAL, "--%s requires -o FILE: it cannot be written to a pipe", view_name(options->view));
	if (options->output && !writes)
		return log_error(EINVAL, "-o requires --svg, --html, --export, --condense, --scrub or "
					 "--resolve-lines; to keep a report, redirect it with > FILE");
	return 0;
}

static const uint32_t wait_sources = 1U << PROFILE_OFFCPU | 1U << PROFILE_WAKERS | 1U << PROFILE_TASKS;

/* What would give another answer than the one asked for. What has no effect is no mistake. */
static int check(struct report_options *options)
{
	if (options->help && *options->help && strcmp(options->help, "all") != 0)
		return log_error(EINVAL, "--help takes nothing, or --help=all, not '%s'", options->help);
	if (options->filter.user_only && options->filter.kernel_only)
		return log_error(EINVAL, "-U and -K cannot be used together");
	if (options->filter.user_threads && options->filter.kernel_threads)
		return log_error(EINVAL, "--user-threads and --kernel-threads cannot be used together");
	if (options->settings.interval && !(options->view && options->view->slices))
		return log_error(EINVAL, "-i requires --stacks or --folded; the interval between "
					 "walks is set with rwalker-record -i");
	if (options->names.quick && options->tool && options->tool->writes)
		return log_error(EINVAL, "-q and --%s cannot be used together", tool_name(options->tool));
	if (options->filter.on.passes && options->filter.sources && !(options->filter.sources & wait_sources))
		return log_error(EINVAL, "--on is about waits and walked tasks, which --source leaves out: add "
					 "--source offcpu or tasks");
	if (check_output(options) < 0 || check_groups(options) < 0 || check_base(options) < 0)
		return -EINVAL;
	if (options->help || options->version || options->completion)
		return 0;
	if (!options->paths.count)
		return log_error(EINVAL, "no trace given; '-' is stdin, see --help");
	return check_condense(options);
}

/* Files and folders that the user named may be opened wherever they are. */
static void list_named(struct report_options *options)
{
	const char **file = options->named_files, **folder = options->named_folders;

	for (size_t i = 0; i < options->paths.count; i++)
		*file++ = options->paths.items[i];
	for (size_t i = 0; i < options->bases.count; i++)
		*file++ = options->bases.items[i];
	if (options->names.vmlinux)
		*file++ = options->names.vmlinux;
	if (options->names.kallsyms)
		*file = options->names.kallsyms;
	if (options->names.symfs[0])
		*folder++ = options->names.symfs;
	for (size_t i = 0; i < options->debug_dir_list.count; i++)
		*folder++ = options->debug_dir_list.items[i];
	options->opener.files = options->named_files;
	options->opener.folders = options->named_folders;
	options->opener.no_filter = options->no_sandbox;
}

/* Which threads the report is about, and which others are needed to see what held them up. Raw output has all. */
static void choose_whom(struct report_options *options)
{
	const struct view *view = options->view;

	if (!options->tool)
		options->filter.needs |= view ? view->needs : digest_view.needs; /* without a view comes the digest */
	options->filter.apart = !options->throughout && !options->tool && !(view && view->bare);
	options->settings.names_tasks = options->filter.comm || options->filter.pid_count || options->filter.tid_count;
	if (options->filter.user_threads)
		report_filter_note(options, "--user-threads", NULL);
	if (options->filter.kernel_threads)
		report_filter_note(options, "--kernel-threads", NULL);
}

static void complete(struct report_options *options)
{
	if (!options->settings.max_page)
		options->settings.max_page = MAX_PAGE;
	list_named(options);
	if (options->filter.on.passes && !options->filter.sources)
		options->filter.sources = wait_sources;
	if (options->settings.by && !options->view)
		options->view = &tree_view;
	choose_whom(options);
	if (options->settings.by && !options->settings.by->compare)
		options->filter.needs |= PROFILE_EACH_CPU;
	options->settings.some_waits = options->filter.cpus || options->filter.states ||
				       options->filter.classes || options->filter.least_wait ||
				       options->filter.most_wait || options->filter.on.passes;
	options->filter.probes = options->probe_list.items;
	options->filter.probe_count = options->probe_list.count;
	if (options->settings.addresses)
		options->filter.needs |= PROFILE_EACH_ADDRESS;
	if (options->settings.interval || options->settings.timestamps)
		options->filter.needs |= PROFILE_EACH_EVENT;
	if (options->filter.user_only)
		report_filter_note(options, "-U", NULL);
	if (options->filter.kernel_only)
		report_filter_note(options, "-K", NULL);
	options->filter.pids = options->pids;
	options->filter.tids = options->tids;
	options->settings.user_only = options->filter.user_only;
	options->settings.kernel_only = options->filter.kernel_only;
	options->settings.max_groups = (uint64_t)options->max_groups;
	options->settings.filters = options->filter_text;
	options->debug_dirs[0] = "/usr/lib/debug";
	for (size_t i = 0; i < options->debug_dir_list.count; i++)
		options->debug_dirs[i] = options->debug_dir_list.items[i];
	options->names.debug_dirs = options->debug_dirs;
	options->names.full = options->settings.addresses;
	/* Tools print no lines, but --info has notes about missing ones. */
	options->names.quick |= options->tool && !options->tool->writes && options->tool != &info_tool;
	options->no_pager |= options->tool && options->tool->writes;
}

int report_options_parse(struct report_options *options, int argc, char **argv)
{
	int rest, r;

	*options = (struct report_options){
		.filter.to = UINT64_MAX,
		.names.symfs = "",
		.settings.min_share = MIN_SHARE,
		.max_memory = UINT64_MAX,
		.max_seconds = MAX_SECONDS,
	};
	r = options_parse(&report_option_set, options, &options->paths, argc, argv, &rest);
	for (; !r && rest < argc; rest++) {
		if (options->paths.count == OPTION_LIST_MAX)
			return log_error(EINVAL, "too many traces: at most %d", OPTION_LIST_MAX);
		options->paths.items[options->paths.count++] = argv[rest];
	}
	if (!r)
		r = check(options);
	if (!r)
		complete(options);
	return r;
}

void report_options_deinit(struct report_options *options)
{
	if (options->filter.comm)
		regfree(&options->comm);
	if (options->settings.chain_comm)
		regfree(options->settings.chain_comm);
	free(options->settings.chain_comm);
	if (options->filter.on.passes)
		object_pattern_deinit(&options->on);
	options->filter.on.passes = NULL;
	options->filter.comm = NULL;
	options->settings.chain_comm = NULL;
	if (options->kept)
		regfree(&options->keep);
	options->kept = NULL;
}

void report_options_help(bool all)
{
	options_print_help(&report_option_set, all, stdout);
}

int report_options_completion(const char *shell)
{
	return options_print_completion(&report_option_set, "rwalker-report", shell, stdout);
}
