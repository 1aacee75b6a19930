/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/options/report_option_rows.h"

#include <errno.h>
#include <string.h>

#include "common/log.h"
#include "common/options/options.h"
#include "common/time_units.h"
#include "report/options/report_habits.h"
#include "report/options/report_option_filters.h"
#include "report/options/report_options.h"
#include "report/view/moment_parse.h"

enum {
	SHARE_PLACES = 4,
	MAX_GROUPS = 1 << 30,
};

#define AT(member) offsetof(struct report_options, member)

/* --folded and --wakers are one view; else at most one is allowed, or a tool. */
static int choose_view(struct report_options *options, const struct view *view)
{
	const struct view *before = options->view;
	bool goes = view == &folded_view || view == &wakers_view;

	if (goes && (before == &folded_view || before == &wakers_view || before == &folded_wakers_view))
		view = before == view ? view : &folded_wakers_view;
	else if (options->tool || (before && before != view))
		return log_error(EINVAL, "choose one view at a time");
	options->view = view;
	return 0;
}

static int choose_tool(struct report_options *options, const struct tool *tool)
{
	if (options->view || (options->tool && options->tool != tool))
		return log_error(EINVAL, "choose one view at a time");
	options->tool = tool;
	return 0;
}

#define ROW_OF_VIEW(name) &name##_view.option,
#define ROW_OF_TOOL(name) &name##_tool.option,
static const struct option_row *const choices[] = {VIEWS(ROW_OF_VIEW) TOOLS(ROW_OF_TOOL) NULL};

static int choose(void *config, const struct option_row *choice, const char *value)
{
	struct report_options *options = config;
	int r;

	for (size_t i = 0; i < VIEW_COUNT; i++)
		if (&views[i]->option == choice) {
			r = choose_view(options, views[i]);
			return r < 0 || !views[i]->parse ? r : views[i]->parse(&options->settings, value);
		}
#define CHOOSE_TOOL(name)                       \
	if (&name##_tool.option == choice) \
		return choose_tool(options, &name##_tool);
	TOOLS(CHOOSE_TOOL)
	return log_error(EINVAL, "--%s cannot be chosen; please report this bug", choice->long_name);
}

static int parse_by(void *config, const char *value)
{
	struct report_options *options = config;

	if (options->settings.by)
		return log_error(EINVAL, "--by may be given only once");
	options->settings.by = group_field_find(value);
	if (!options->settings.by)
		return log_error(EINVAL, "--by must be %s, not '%s'", group_field_names, value);
	return 0;
}

static int parse_keep(void *config, const char *value)
{
	struct report_options *options = config;
	char why[256];
	int r;

	if (options->kept)
		return log_error(EINVAL, "--keep may be given only once; join expressions with '|'");
	r = *value ? regcomp(&options->keep, value, REG_EXTENDED | REG_NOSUB) : REG_BADPAT;
	if (r) {
		(void)regerror(r, &options->keep, why, sizeof(why));
		return log_error(EINVAL, "--keep expects a regular expression for names, not '%s': %s", value, why);
	}
	options->kept = &options->keep;
	return 0;
}

/* The name of an export, after "export "; NULL if the view is none. */
static const char *export_form(const struct view *view)
{
	static const char prefix[] = "export ";

	return strncmp(view_name(view), prefix, sizeof(prefix) - 1) ? NULL : view_name(view) + sizeof(prefix) - 1;
}

static int refuse_form(const char *value)
{
	char forms[256] = "";
	size_t length = 0;

	for (size_t i = 0; i < VIEW_COUNT; i++) {
		const char *form = export_form(views[i]);

		if (form && length < sizeof(forms))
			length += (size_t)snprintf(forms + length, sizeof(forms) - length, "%s%s", length ? ", " : "",
						   form);
	}
	return log_error(EINVAL, "--export must be one of %s, not '%s'", forms, value);
}

static int parse_export(void *config, const char *value)
{
	for (size_t i = 0; i < VIEW_COUNT; i++) {
		const char *form = export_form(views[i]);

		if (form && !strcmp(form, value))
			return choose_view(config, views[i]);
	}
	return refuse_form(value);
}

static int parse_interval(void *config, const char *value)
{
	struct report_options *options = config;

	if (duration_parse(value, SECOND, &options->settings.interval) < 0 || !options->settings.interval)
		return log_error(EINVAL, "-i expects a time such as 1, 0.5 or 500ms, not '%s'", value);
	return 0;
}

static int parse_min_percent(void *config, const char *value)
{
	struct report_options *options = config;
	uint64_t share;

	if (option_value_decimal(value, SHARE_PLACES, &share) < 0 || share > 1000000)
		return log_error(EINVAL, "--min-percent expects a number from 0 to 100 such as 0.25, not '%s'",
				 value);
	options->settings.min_share = share;
	return 0;
}

static int parse_color(void *config, const char *value)
{
	static const char *const names[] = {[REPORT_COLOR_AUTO] = "auto",
					    [REPORT_COLOR_ALWAYS] = "always",
					    [REPORT_COLOR_NEVER] = "never"};
	struct report_options *options = config;

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(value ? value : "always", names[i])) {
			options->color = (enum report_color)i;
			return 0;
		}
	return log_error(EINVAL, "--color must be auto, always or never, not '%s'", value);
}

static int parse_max_page(void *config, const char *value)
{
	struct report_options *options = config;

	if (option_value_size(value, &options->settings.max_page) < 0 || !options->settings.max_page)
		return log_error(EINVAL, "--max-page expects a size such as 8M or 100M, not '%s'", value);
	return 0;
}

static int parse_memory(void *config, const char *value)
{
	struct report_options *options = config;

	if (option_value_size(value, &options->max_memory) < 0)
		return log_error(EINVAL, "--max-memory expects a size such as 512M or 8G, or 0, "
					 "not '%s'", value);
	return 0;
}

static const struct option_row rows[] = {
	{"Views", "base", 0, TAKES_LIST("FILE", AT(bases)),
	 .help = "the trace from before; may be repeated"},

	{"Views", "export", 0, IS_PARSED("FORM", parse_export),
	 .help = "perf-script, pprof, sqlite, speedscope, chrome,\nfirefox"},

	{"The trace itself", "partial", 0, TAKES_NOTHING(AT(partial)),
	 .help = "with --condense: even if unwind tables are missing"},
	{"The trace itself", "keep", 0, IS_PARSED("RE", parse_keep),
	 .help = "with --scrub: names that match stay"},

	{"The trace itself", "output", 'o', TAKES_TEXT("FILE", AT(output)),
	 .help = "the output file; '-' is stdout"},
	{"The trace itself", "force", 0, TAKES_NOTHING(AT(force)),
	 .help = "with -o: replace a file that exists"},

	{"Filters", "command", 'c', IS_PARSED("RE", report_filter_comm),
	 .help = "tasks whose comm matches (POSIX ERE)", .often = true},
	{"Filters", "pid", 0, IS_PARSED("LIST", report_filter_pids),
	 .help = "processes, as in 12,345", .often = true},
	{"Filters", "tid", 0, IS_PARSED("LIST", report_filter_tids), .help = "threads"},
	{"Filters", "container", 0, IS_PARSED("ID", report_filter_container),
	 .help = "threads in it: its id, the beginning of it or a pattern"},
	{"Filters", "cgroup", 0, IS_PARSED("PATH", report_filter_cgroup),
	 .help = "threads in this control group, or below it"},
	{"Filters", "on", 0, IS_PARSED("RE", report_filter_on),
	 .help = "waits whose kind, object, owner or other end match"},
	{"Filters", "user-threads", 0, TAKES_NOTHING(AT(filter.user_threads)),
	 .help = "no kernel threads"},
	{"Filters", "kernel-threads", 0, TAKES_NOTHING(AT(filter.kernel_threads)),
	 .help = "kernel threads only"},
	{"Filters", "throughout", 0, TAKES_NOTHING(AT(throughout)),
	 .help = "also threads that waited all the time"},
	{"Filters", "cpus", 'P', IS_PARSED("LIST", report_filter_cpus),
	 .help = "CPUs, as in 0-3,7"},
	{"Filters", "state", 0, IS_PARSED("LETTERS", report_filter_states),
	 .help = "walked tasks, and waits, in these states, as in DK"},
	{"Filters", "waiting", 'w', IS_PARSED("S", report_filter_waiting),
	 .help = "walked tasks that had waited for S seconds or more"},
	{"Filters", "class", 0, IS_PARSED("LIST", report_filter_classes),
	 .help = "waits: blocked, preempted, yielded, open ..."},
	{"Filters", "min-block-time", 'm', IS_PARSED("US", report_filter_least_wait),
	 .help = "waits of US microseconds or more"},
	{"Filters", "max-block-time", 'M', IS_PARSED("US", report_filter_most_wait),
	 .help = "waits of US microseconds or less"},
	{"Filters", "time", 0, IS_PARSED("A,B", report_filter_time),
	 .help = "1.5,20 (seconds from the start) or 12:00:03, (UTC)", .often = true},
	{"Filters", "source", 0, IS_PARSED("KIND", report_filter_source),
	 .help = "cpu, offcpu, wakers, tracepoint, kfunc or tasks"},
	{"Filters", "probe", 0, IS_PARSED("NAME", report_filter_probe),
	 .help = "events of this tracepoint or function, as in tcp_*"},
	{"Filters", NULL, 'U', TAKES_NOTHING(AT(filter.user_only)), .help = "user frames only"},
	{"Filters", NULL, 'K', TAKES_NOTHING(AT(filter.kernel_only)), .help = "kernel frames only"},

	{"Shape", NULL, 'v', TAKES_NOTHING(AT(settings.addresses)),
	 .help = "also show addresses, modules and full names"},
	{"Shape", "quick", 'q', TAKES_NOTHING(AT(names.quick)),
	 .help = "no DWARF: no lines, no inlined functions"},
	{"Shape", NULL, 's', TAKES_NOTHING(AT(settings.offsets)),
	 .help = "also show offsets within functions"},
	{"Shape", "timestamps", 'T', TAKES_NOTHING(AT(settings.timestamps)),
	 .help = "show the time of day (UTC) of events or intervals"},
	{"Shape", "interval", 'i', IS_PARSED("S", parse_interval),
	 .help = "the stacks of every S seconds (--stacks, --folded)"},
	{"Shape", "by", 0, IS_PARSED("FIELD", parse_by),
	 .help = "a part for each comm, process, thread, cgroup ..."},
	{"Shape", "per-process", 0, TAKES_NOTHING(AT(settings.per_process)),
	 .help = "keep processes with the same comm apart"},
	{"Shape", "delimited", 0, TAKES_NOTHING(AT(settings.delimited)),
	 .help = "a mark between kernel and user frames"},
	{"Shape", "min-percent", 0, IS_PARSED("P", parse_min_percent),
	 .help = "leave out what is below P percent (0.25)"},
	{"Shape", "max-groups", 0, TAKES_NUMBER("N", AT(max_groups), 1, MAX_GROUPS),
	 .help = "only the N heaviest leaf functions, targets ..."},
	{"Shape", "max-page", 0, IS_PARSED("SIZE", parse_max_page),
	 .help = "with --html: the page's size at most (32M)"},
	{"Shape", "mangled", 0, TAKES_NOTHING(AT(names.mangled)),
	 .help = "C++ and Rust names as they are in the files"},

	{"Names", "debug-dir", 0, TAKES_LIST("DIR", AT(debug_dir_list)),
	 .help = "separate debug files, by build-id (/usr/lib/debug)"},
	{"Names", "symfs", 0, TAKES_TEXT("DIR", AT(names.symfs)),
	 .help = "look for the traced files below DIR"},
	{"Names", "debuginfod", 0, TAKES_NOTHING(AT(names.debuginfod)),
	 .help = "fetch what is missing from DEBUGINFOD_URLS"},
	{"Names", "vmlinux", 0, TAKES_TEXT("FILE", AT(names.vmlinux)),
	 .help = "the kernel's ELF file"},
	{"Names", "kallsyms", 0, TAKES_TEXT("FILE", AT(names.kallsyms)),
	 .help = "a copy of /proc/kallsyms"},
	{"Names", "network-files", 0, TAKES_NOTHING(AT(opener.network_files)),
	 .help = "also open files on network and FUSE file systems"},
	{"Names", "no-local-files", 0, TAKES_NOTHING(AT(opener.no_local_files)),
	 .help = "open no file of this machine that no option names"},
	{"Names", "cache", 0, TAKES_TEXT("FILE", AT(cache)),
	 .help = "where names are kept (~/.cache/rwalker/names.sqlite)"},
	{"Names", "no-cache", 0, TAKES_NOTHING(AT(no_cache)),
	 .help = "neither read nor write the cache"},

	{"Output", "color", 0, IS_PARSED("[=WHEN]", parse_color),
	 .help = "auto (the default), always or never"},
	{"Output", "no-pager", 0, TAKES_NOTHING(AT(no_pager)),
	 .help = "do not start a pager ($RWALKER_PAGER or $PAGER)"},
	{"Output", "max-memory", 0, IS_PARSED("SIZE", parse_memory),
	 .help = "limit of address space, as in 8G (2G); 0: none"},
	{"Output", "max-seconds", 0, TAKES_NUMBER("N", AT(max_seconds), 0, INT32_MAX),
	 .help = "limit of CPU time in seconds (600); 0: none"},
	{"Output", "no-sandbox", 0, TAKES_NOTHING(AT(no_sandbox)),
	 .help = "read the trace with all your rights: if you trust it"},

	{"Help", "help", 'h', TAKES_TEXT("[=all]", AT(help)),
	 .help = "what is needed often, or all options"},
	{"Help", "version", 'V', TAKES_NOTHING(AT(version)),
	 .help = "the versions of the program, format and libraries"},
	{"Help", "completion", 0, TAKES_TEXT("[=SHELL]", AT(completion)),
	 .help = "a completion script for bash, zsh or fish"},
	{0},
};

static const char *const examples[] = {
	"rwalker-report trace.rwk                     what was going on, and what to type next",
	"rwalker-report -c '^make$' --min-percent 1 trace.rwk",
	"rwalker-report --folded trace.rwk | flamegraph.pl > cpu.svg",
	"rwalker-report --info trace.rwk              what the trace holds, and what was lost",
	"rwalker-report --condense trace.rwk -o small.rwk   without stack memory, to pass on",
	NULL,
};

const struct option_set report_option_set = {
	.usage = "rwalker-report [OPTION]... TRACE...",
	.examples = examples,
	.rows = rows,
	.choices = choices,
	.choose = choose,
	.habits = report_habits,
};
