/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/options/options.h"
#include "common/time_units.h"
#include "report/view/moment_parse.h"

/* --- what users of other programs may type --- */

#define RECORDS(instead) "belongs to rwalker-record: what was not recorded cannot be reported" instead
#define HERE(option) "here is " option

/* The most used names of perf report, perf script and bcc's tools that are others here, and the recorder's. */
static const struct option_habit habits[] = {
	{"-a", RECORDS("")}, {"--dwarf", RECORDS("")}, {"-C", RECORDS(" (-P 0-3 chooses CPUs)")},
	{"-r", RECORDS(" (--state R shows running tasks)")}, {"-p", RECORDS(" (--pid 1234 chooses a process)")},
	{"-u", RECORDS(" (-U hides kernel frames)")}, {"--offcpu", RECORDS(" (--source offcpu shows waits)")},
	{"--trace", RECORDS(" (--probe NAME chooses a tracepoint)")},
	{"--kfunc", RECORDS(" (--probe NAME chooses a function)")},
	{"-d", RECORDS(" (--time A,B cuts a range, --delimited marks where user frames begin)")},

	{"-i FILE", "needs no option here: rwalker-report FILE"},
	{"--input", "needs no option here: rwalker-report FILE"},
	{"--stdio", "is not needed: reports are plain text, and a pager shows them on a terminal"},
	{"--no-children", "is the default: --tree shows leaf functions with their callers"},
	{"--children", "here is --functions=total, or --top-down as a tree"},
	{"-g", "is not needed: --tree shows call chains"},
	{"-G", HERE("--top-down; --tree shows callers below each leaf function")},
	{"--sort", "here is --by comm, process, thread or cpu; for functions --functions=self or --functions=total"},
	{"-F", HERE("--export perf-script, which has fixed fields")},
	{"--percent-limit", HERE("--min-percent, as in --min-percent 1")},
	{"--comms", HERE("-c, as in -c '^nginx$'")},
	{"--cpu", HERE("-P, as in -P 0-3")},
	{"-n", "is not needed: counts are shown"},
	{"-D", HERE("--dump")},
	{"--header", HERE("--info")},
	{"--max-stack", "does not exist here: stacks are shown whole"},
	{"--no-inline", HERE("-q")},
	{"--no-demangle", HERE("--mangled")},
	{"-k", HERE("--vmlinux FILE")},
	{"-t", HERE("--tid, as in --tid 1234")},
	{"--user-stacks-only", HERE("-U")}, {"--kernel-stacks-only", HERE("-K")},
	{"--flamegraph", HERE("--svg: rwalker-report --svg FILE -o cpu.svg; --folded is for other tools")},
	{"--json", HERE("--export sqlite, which sqlite3 -json reads")},
	{"--csv", HERE("--export sqlite, which sqlite3 -csv reads")},

	/* first words */
	{"report", "is not needed: rwalker-report t.rwk"},
	{"record", "belongs to the other program: rwalker-record -p 5 -u -o t.rwk"},
	{"script", HERE("--export perf-script: rwalker-report --export perf-script t.rwk")},
	{"annotate", "does not exist here: rwalker-report t.rwk shows lines where they are known"},
	{"diff", HERE("--diff: rwalker-report --diff --base before.rwk after.rwk")},
	{NULL, NULL},
};

/* Whether an option's value can only be given after "=". */
static bool wants_equals(const char *option)
{
	if (option[0] != '-' || option[1] != '-')
		return false;
	for OPTIONS_EACH(row, &report_option_set)
		if (row->long_name && !strcmp(row->long_name, option + 2))
			return row->value_name && row->value_name[0] == '[';
	return false;
}

bool report_habits_missing(int argc, char **argv, const char *word)
{
	const struct option_habit *habit = options_habit(&report_option_set, word, strlen(word));

	for (int i = 1; i < argc; i++) {
		if (argv[i] != word)
			continue;
		if (i == 1 && habit) {
			(void)log_error(EINVAL, "'%s' %s", word, habit->answer);
			return true;
		}
		if (!wants_equals(argv[i - 1]))
			continue;
		(void)log_error(EINVAL, "there is no file '%s'; a value of %s comes after '=': %s=%s", word,
				argv[i - 1], argv[i - 1], word);
		return true;
	}
	return false;
}

/* --- the table --- */

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
	.habits = habits,
};

/* --- what is read --- */

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
