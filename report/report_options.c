/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "report/report_cache.h"
#include "report/report_moment.h"
#include "report/report_option_filters.h"
#include "report/report_values.h"

enum {
	MIN_SHARE = 2500, /* 0.25 %, in millionths */
	SHARE_PLACES = 4,
	MAX_SECONDS = 600,
	MAX_GROUPS = 1 << 30,
	TOP_WAITS = 20,
};
#define MAX_MEMORY (UINT64_C(2) << 30)

#define AT(member) offsetof(struct report_options, member)

static int parse_top_waits(void *config, const char *value)
{
	struct report_options *options = config;

	options->view_wanted[VIEW_TOP_WAITS] = true;
	options->top_waits_given = value;
	options->settings.top_waits = TOP_WAITS;
	if (value && report_value_decimal(value, 0, &options->settings.top_waits) < 0)
		return log_error(EINVAL, "--top-waits wants a number of stacks as in 5, or 0 for all, not \"%s\"", value);
	return 0;
}

/* A number is a thread, anything else an expression for comms. */
static int parse_chains(void *config, const char *value)
{
	struct report_options *options = config;
	uint64_t tid = 0;
	char why[256];
	int r;

	if (options->view_wanted[VIEW_CHAINS])
		return log_error(EINVAL, "--chains is given twice; join expressions with |");
	options->view_wanted[VIEW_CHAINS] = true;
	options->settings.chain_target = value;
	if (!value || (!report_value_decimal(value, 0, &tid) && tid <= INT32_MAX)) {
		options->settings.chain_tid = (uint32_t)tid;
		return 0;
	}
	r = *value ? regcomp(&options->chain_comm, value, REG_EXTENDED | REG_NOSUB) : REG_BADPAT;
	if (r) {
		(void)regerror(r, &options->chain_comm, why, sizeof(why));
		return log_error(EINVAL, "--chains wants a thread or an expression for comms, not \"%s\": %s", value, why);
	}
	options->settings.chain_comm = &options->chain_comm;
	return 0;
}

static int parse_at(void *config, const char *value)
{
	struct report_options *options = config;

	if (options->view_wanted[VIEW_AT])
		return log_error(EINVAL, "--at is given twice; one moment at a time");
	options->view_wanted[VIEW_AT] = true;
	if (report_value_moment_around(value, &options->settings.at, &options->settings.at_around) < 0)
		return log_error(EINVAL, "--at wants a moment as in 2.5s, 2.5s~50ms or 12:00:03.25, not \"%s\"", value);
	return 0;
}

static int parse_export(void *config, const char *value)
{
	struct report_options *options = config;

	if (strcmp(value, "perf-script") != 0)
		return log_error(EINVAL, "--export knows perf-script, not \"%s\"", value);
	options->view_wanted[VIEW_PERF_SCRIPT] = true;
	return 0;
}

static int parse_interval(void *config, const char *value)
{
	enum { SECOND_PLACES = 9 };
	struct report_options *options = config;

	if (report_value_decimal(value, SECOND_PLACES, &options->settings.interval) < 0 || !options->settings.interval)
		return log_error(EINVAL, "-i wants seconds as in 1 or 0.5, not \"%s\"", value);
	return 0;
}

static int parse_min_percent(void *config, const char *value)
{
	struct report_options *options = config;
	uint64_t share;

	if (report_value_decimal(value, SHARE_PLACES, &share) < 0 || share > 1000000)
		return log_error(EINVAL, "--min-percent wants a number from 0 to 100 as in 0.25, not \"%s\"", value);
	options->settings.min_share = share;
	return 0;
}

static int parse_color(void *config, const char *value)
{
	static const char *const names[] = {
		[REPORT_COLOR_AUTO] = "auto", [REPORT_COLOR_ALWAYS] = "always", [REPORT_COLOR_NEVER] = "never"};
	struct report_options *options = config;

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(value ? value : "always", names[i])) {
			options->color = (enum report_color)i;
			return 0;
		}
	return log_error(EINVAL, "--color is auto, always or never, not \"%s\"", value);
}

static int parse_memory(void *config, const char *value)
{
	struct report_options *options = config;

	if (report_value_size(value, &options->max_memory) < 0)
		return log_error(EINVAL, "--max-memory wants a size as in 512M or 8G, or 0, not \"%s\"", value);
	return 0;
}

#define RECORDS "belongs to rwalker-record: what was not recorded cannot be reported"

static const struct option_row rows[] = {
	{"Views", "tree", 0, OPTION_FLAG, AT(view_wanted[VIEW_TREE]), NULL, 0, 0, NULL,
	 "leaf functions, heaviest first, each with the tree of call chains that lead to it (the default for samples)"},
	{"Views", "tasks", 0, OPTION_FLAG, AT(view_wanted[VIEW_TASKS]), NULL, 0, 0, NULL,
	 "tasks that were walked, longest wait last, then their common stacks (the default for walks)"},
	{"Views", "histogram", 0, OPTION_FLAG, AT(view_wanted[VIEW_HISTOGRAM]), NULL, 0, 0, NULL,
	 "the common stacks by their six leaf-most frames, most frequent first"},
	{"Views", "stacks", 0, OPTION_FLAG, AT(view_wanted[VIEW_STACKS]), NULL, 0, 0, NULL,
	 "every stack on its own, leaf first, least first"},
	{"Views", "counts", 0, OPTION_FLAG, AT(view_wanted[VIEW_STACKS]), NULL, 0, 0, NULL, "the same as --stacks"},
	{"Views", "folded", 'f', OPTION_FLAG, AT(view_wanted[VIEW_FOLDED]), NULL, 0, 0, NULL,
	 "\"comm;root;...;leaf N\", a line per stack, for flame graphs"},
	{"Views", "wakers", 0, OPTION_FLAG, AT(view_wanted[VIEW_WAKERS]), NULL, 0, 0, NULL,
	 "who ended the waits: the waker's stack upside down above the sleeper's, least first; also with --folded"},
	{"Views", "chains", 0, OPTION_PARSE, 0, "[=TARGET]", 0, 0, parse_chains,
	 "what really held a thread or the comms that match (else the longest waits): wakers' own waits, hop by hop"},
	{"Views", "top-waits", 0, OPTION_PARSE, 0, "[=N]", 0, 0, parse_top_waits,
	 "the N stacks (20; 0: all) with the longest single waits, the longest last: when it was and who ended it"},
	{"Views", "at", 0, OPTION_PARSE, 0, "TIME[~D]", 0, 0, parse_at,
	 "what was waiting at that moment, or D around it, and what ran: +2.5s, 12:00:03.25~50ms (UTC)"},

	{"Views", "summary", 0, OPTION_FLAG, AT(view_wanted[VIEW_SUMMARY]), NULL, 0, 0, NULL,
	 "where each thread's time went: running, run queue, blocked by state"},

	{"Views", "events", 0, OPTION_FLAG, AT(view_wanted[VIEW_EVENTS]), NULL, 0, 0, NULL,
	 "every sample, wait and wakeup in time order, each with its stack; -v adds comm, thread and CPU"},
	{"Views", "export", 0, OPTION_PARSE, 0, "FORM", 0, 0, parse_export,
	 "perf-script: the same as \"perf script\" prints it, for tools that read that"},

	{"The trace itself", "info", 0, OPTION_FLAG, AT(tool_wanted[TOOL_INFO]), NULL, 0, 0, NULL,
	 "host, command line, clocks, sources, contents, cost of recording, what was lost and why"},
	{"The trace itself", "needs", 0, OPTION_FLAG, AT(tool_wanted[TOOL_NEEDS]), NULL, 0, 0, NULL,
	 "modules without symbols: build-id, share of the samples, where to put the file"},
	{"The trace itself", "dump", 0, OPTION_FLAG, AT(tool_wanted[TOOL_DUMP]), NULL, 0, 0, NULL,
	 "every chunk and every record, a line each"},
	{"The trace itself", "condense", 0, OPTION_FLAG, AT(tool_wanted[TOOL_CONDENSE]), NULL, 0, 0, NULL,
	 "write a trace to -o FILE that gives the same reports and holds no stack memory and no command line; cannot be undone"},
	{"The trace itself", "partial", 0, OPTION_FLAG, AT(partial), NULL, 0, 0, NULL,
	 "--condense also where unwind tables are missing: stacks end there"},

	{"The trace itself", "resolve-lines", 0, OPTION_FLAG, AT(tool_wanted[TOOL_RESOLVE_LINES]), NULL, 0, 0, NULL,
	 "write the trace to -o FILE, with files, lines and inlined functions for readers without debug information"},
	{"The trace itself", "output", 'o', OPTION_TEXT, AT(output), "FILE", 0, 0, NULL, "a file that is not there yet; \"-\": stdout"},

	{"Filters", "command", 'c', OPTION_PARSE, 0, "RE", 0, 0, report_filter_comm,
	 "tasks whose comm matches the regular expression (POSIX ERE)"},
	{"Filters", "pid", 0, OPTION_PARSE, 0, "LIST", 0, 0, report_filter_pids, "processes, as in 12,345"},
	{"Filters", "tid", 0, OPTION_PARSE, 0, "LIST", 0, 0, report_filter_tids, "threads"},
	{"Filters", "cpus", 'P', OPTION_PARSE, 0, "LIST", 0, 0, report_filter_cpus, "CPUs, as in 0-3,7"},
	{"Filters", "state", 0, OPTION_PARSE, 0, "LETTERS", 0, 0, report_filter_states,
	 "walked tasks in one of these states, and waits that began in one, as in DK"},
	{"Filters", "waiting", 'w', OPTION_PARSE, 0, "S", 0, 0, report_filter_waiting,
	 "walked tasks that had waited for S seconds or more"},
	{"Filters", "class", 0, OPTION_PARSE, 0, "LIST", 0, 0, report_filter_classes,
	 "waits of these classes: blocked, preempted, yielded, cancelled, started; open, ended"},
	{"Filters", "min-block-time", 'm', OPTION_PARSE, 0, "US", 0, 0, report_filter_least_wait, "waits of US microseconds or more"},
	{"Filters", "max-block-time", 'M', OPTION_PARSE, 0, "US", 0, 0, report_filter_most_wait, "waits of US microseconds or less"},
	{"Filters", "time", 0, OPTION_PARSE, 0, "A,B", 0, 0, report_filter_time,
	 "from moment A to moment B, as in 1.5,20 (seconds of the recording) or 12:00:03,12:00:05.5 (UTC); either may be left out"},
	{"Filters", "source", 0, OPTION_PARSE, 0, "KIND", 0, 0, report_filter_source,
	 "cpu, offcpu, wakers, tracepoint, kfunc or tasks; may be given again"},
	{"Filters", "probe", 0, OPTION_PARSE, 0, "NAME", 0, 0, report_filter_probe,
	 "events of this tracepoint or function, or of those that match a glob as in 'tcp_*'; may be given again"},
	{"Filters", NULL, 'U', OPTION_FLAG, AT(filter.user_only), NULL, 0, 0, NULL,
	 "user frames only; percentages stay those of the whole"},
	{"Filters", NULL, 'K', OPTION_FLAG, AT(filter.kernel_only), NULL, 0, 0, NULL, "kernel frames only; likewise"},

	{"Shape", NULL, 'v', OPTION_FLAG, AT(settings.addresses), NULL, 0, 0, NULL, "addresses, modules and whole names too"},
	{"Shape", "quick", 'q', OPTION_FLAG, AT(names.quick), NULL, 0, 0, NULL,
	 "no lines and no inlined functions: no DWARF is read, which can take a while"},
	{"Shape", NULL, 's', OPTION_FLAG, AT(settings.offsets), NULL, 0, 0, NULL, "offsets within functions too"},
	{"Shape", "timestamps", 'T', OPTION_FLAG, AT(settings.timestamps), NULL, 0, 0, NULL,
	 "the time of day (UTC): of each event, or above the stacks of each interval"},
	{"Shape", "interval", 'i', OPTION_PARSE, 0, "S", 0, 0, parse_interval,
	 "the stacks of every S seconds of the recording on their own (--stacks, --folded)"},
	{"Shape", "per-process", 0, OPTION_FLAG, AT(settings.per_process), NULL, 0, 0, NULL,
	 "keep processes apart that have the same comm"},
	{"Shape", "delimited", 0, OPTION_FLAG, AT(settings.delimited), NULL, 0, 0, NULL,
	 "a mark between kernel and user frames (--stacks, --folded, --wakers)"},
	{"Shape", "min-percent", 0, OPTION_PARSE, 0, "P", 0, 0, parse_min_percent,
	 "leave out what is below P percent of its source (0.25), and say how much"},
	{NULL, "output-filter", 0, OPTION_PARSE, 0, "P", 0, 0, parse_min_percent, "alias of --min-percent"},
	{"Shape", "max-groups", 0, OPTION_NUMBER, AT(max_groups), "N", 1, MAX_GROUPS, NULL,
	 "the N heaviest leaf functions or common stacks only (all)"},
	{"Shape", "raw", 0, OPTION_FLAG, AT(raw), NULL, 0, 0, NULL,
	 "--top-waits as topwaits prints it: total, longest, when it ended, kernel and user frames"},
	{"Shape", "mangled", 0, OPTION_FLAG, AT(names.mangled), NULL, 0, 0, NULL, "C++ and Rust names as they are"},
	{"Shape", "raw-frames", 0, OPTION_FLAG, AT(filter.raw_frames), NULL, 0, 0, NULL,
	 "keep the frames of the recorder's own BPF programs"},

	{"Names", "debug-dir", 0, OPTION_LIST, AT(debug_dir_list), "DIR", 0, 0, NULL,
	 "where separate debug files are, by build-id (/usr/lib/debug); may be given again"},
	{"Names", "symfs", 0, OPTION_TEXT, AT(names.symfs), "DIR", 0, 0, NULL, "look for the traced files below DIR"},
	{"Names", "debuginfod", 0, OPTION_FLAG, AT(names.debuginfod), NULL, 0, 0, NULL,
	 "fetch what is missing from the servers that DEBUGINFOD_URLS names; without it nobody is ever asked"},
	{"Names", "vmlinux", 0, OPTION_TEXT, AT(names.vmlinux), "FILE", 0, 0, NULL, "the kernel's ELF file"},
	{"Names", "kallsyms", 0, OPTION_TEXT, AT(names.kallsyms), "FILE", 0, 0, NULL, "a copy of /proc/kallsyms"},
	{"Names", "cache", 0, OPTION_TEXT, AT(cache), "FILE", 0, 0, NULL,
	 "keep what is dear to find out in FILE (~/.cache/rwalker/names.sqlite) between reports"},
	{"Names", "no-cache", 0, OPTION_FLAG, AT(no_cache), NULL, 0, 0, NULL, "neither read nor write it"},
	{"Names", "cache-info", 0, OPTION_FLAG, AT(tool_wanted[TOOL_CACHE_INFO]), NULL, 0, 0, NULL,
	 "what the cache holds, of which modules, and where it is"},
	{"Names", "cache-clear", 0, OPTION_FLAG, AT(tool_wanted[TOOL_CACHE_CLEAR]), NULL, 0, 0, NULL, "empty it"},

	{"Output", "color", 0, OPTION_PARSE, 0, "[=WHEN]", 0, 0, parse_color,
	 "auto (the default), always or never; NO_COLOR is heeded"},
	{"Output", "no-pager", 0, OPTION_FLAG, AT(no_pager), NULL, 0, 0, NULL,
	 "straight to the terminal, not through $RWALKER_PAGER or $PAGER"},
	{"Output", "max-memory", 0, OPTION_PARSE, 0, "SIZE", 0, 0, parse_memory,
	 "address space at most, as in 8G (2G); 0: no limit"},
	{"Output", "max-seconds", 0, OPTION_NUMBER, AT(max_seconds), "N", 0, INT32_MAX, NULL,
	 "CPU time at most (600); 0: no limit"},

	{"Help", "help", 'h', OPTION_FLAG, AT(help), NULL, 0, 0, NULL, "print this"},
	{"Help", "version", 'V', OPTION_FLAG, AT(version), NULL, 0, 0, NULL, "print versions"},
	{NULL, "completion", 0, OPTION_FLAG, AT(completion), NULL, 0, 0, NULL, "print a bash completion script"},

	{NULL, "all", 'a', OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "running", 'r', OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS " (--state R shows running tasks)"},
	{NULL, "stuck", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS " (--state D shows stuck tasks)"},
	{NULL, "count", 'C', OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "profile", 'p', OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS " (--pid N chooses a process)"},
	{NULL, "duration", 'd', OPTION_HINT, 0, NULL, 0, 0, NULL,
	 RECORDS " (--time A,B cuts a range, --delimited marks where user frames begin)"},
	{NULL, "user", 'u', OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS " (-U hides kernel frames)"},
	{NULL, "freq", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "sw-perf", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "cgroup", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "user-threads", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "kernel-threads", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "system-wide", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "force", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "embed", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "max-size", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "ringbuf-size", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, RECORDS},
	{NULL, "finalize", 0, OPTION_HINT, 0, NULL, 0, 0, NULL,
	 "belongs to rwalker-record, on the host and boot where the trace was recorded"},
	{NULL, "stack-storage-size", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, "is not needed: a trace holds all stacks"},
	{0},
};

static const char *const examples[] = {
	"rwalker-report trace.rwk                     where CPU time went, or what is stuck",
	"rwalker-report -c '^make$' --min-percent 1 trace.rwk",
	"rwalker-report --folded trace.rwk | flamegraph.pl > cpu.svg",
	"rwalker-report --info trace.rwk              what the trace holds, and what was lost",
	"rwalker-record -p 5 -u -o - | rwalker-report -",
	"rwalker-report --condense trace.rwk -o small.rwk   the same without stack memory, to pass on",
	NULL,
};

static const struct option_set option_set = {
	.usage = "rwalker-report [OPTION]... TRACE...",
	.examples = examples,
	.rows = rows,
};

/* The one view or tool that is wanted. */
static int choose(struct report_options *options)
{
	size_t wanted = 0;

	if (options->view_wanted[VIEW_FOLDED] && options->view_wanted[VIEW_WAKERS]) {
		options->view_wanted[VIEW_FOLDED] = options->view_wanted[VIEW_WAKERS] = false;
		options->view_wanted[VIEW_FOLDED_WAKERS] = true;
	}
	for (size_t i = 0; i < VIEW_KINDS; i++)
		if (options->view_wanted[i]) {
			options->view = &views[i];
			wanted++;
		}
	for (size_t i = 0; i < TOOL_KINDS; i++)
		if (options->tool_wanted[i]) {
			options->tool = &tools[i];
			wanted++;
		}
	return wanted > 1 ? log_error(EINVAL, "one view at a time: run it again for the other one") : 0;
}

static bool counts_stacks(const struct report_options *options)
{
	return options->view_wanted[VIEW_STACKS] || options->view_wanted[VIEW_FOLDED];
}

static int check_without_trace(const struct report_options *options)
{
	if (options->paths.count)
		return log_error(EINVAL, "--%s is about no trace: leave \"%s\" away", options->tool->name, options->paths.items[0]);
	if (options->no_cache)
		return log_error(EINVAL, "--%s and --no-cache exclude each other", options->tool->name);
	return 0;
}

static int check_condense(const struct report_options *options)
{
	if (!options->tool_wanted[TOOL_CONDENSE])
		return options->partial ? log_error(EINVAL, "--partial belongs to --condense") : 0;
	if (options->filter_text[0] || options->filter.user_only || options->filter.kernel_only)
		return log_error(EINVAL, "--condense takes the whole trace: filters belong to the reports of it");
	if (options->paths.count > 1)
		return log_error(EINVAL, "--condense takes one trace at a time");
	return 0;
}

static int check(struct report_options *options)
{
	if (options->filter.user_only && options->filter.kernel_only)
		return log_error(EINVAL, "-U and -K exclude each other");
	if (options->raw && !options->view_wanted[VIEW_TOP_WAITS])
		return log_error(EINVAL, "--raw belongs to --top-waits");
	if (options->settings.interval && !counts_stacks(options))
		return log_error(EINVAL, "-i belongs to --stacks or --folded; the interval between walks is rwalker-record's");
	if (options->settings.timestamps && !counts_stacks(options) && !options->view_wanted[VIEW_EVENTS])
		return log_error(EINVAL, "-T belongs to --events, --stacks or --folded");
	if (options->tool && options->tool->writes && !options->output)
		return log_error(EINVAL, "--%s writes a trace: -o FILE says where", options->tool->name);
	if (options->names.quick && options->tool && options->tool->writes)
		return log_error(EINVAL, "-q and --%s exclude each other", options->tool->name);
	if (options->output && !(options->tool && options->tool->writes))
		return log_error(EINVAL, "-o is for a trace that is written; a report goes to stdout: use > FILE");
	if (options->cache && options->no_cache)
		return log_error(EINVAL, "--cache and --no-cache exclude each other");
	if (options->help || options->version || options->completion)
		return 0;
	if (options->tool && options->tool->without_trace)
		return check_without_trace(options);
	if (!options->paths.count)
		return log_error(EINVAL, "no trace is named; \"-\" is stdin, --help shows the usage");
	return check_condense(options);
}

/* Machines want all lines unless they say otherwise. */
static void choose_raw(struct report_options *options)
{
	options->view = &views[VIEW_TOP_WAITS_RAW];
	if (!options->top_waits_given)
		options->settings.top_waits = 0;
}

static void choose_cache(struct report_options *options)
{
	if (options->cache || options->no_cache)
		return;
	options->cache_is_default = report_cache_default(options->default_cache, sizeof(options->default_cache)) == 0;
	if (options->cache_is_default)
		options->cache = options->default_cache;
}

static void complete(struct report_options *options)
{
	choose_cache(options);
	if (options->raw)
		choose_raw(options);
	options->settings.some_waits = options->filter.cpus || options->filter.states || options->filter.classes ||
					 options->filter.least_wait || options->filter.most_wait;
	options->filter.probes = options->probe_list.items;
	options->filter.probe_count = options->probe_list.count;
	options->filter.each_event = options->view_wanted[VIEW_EVENTS] || options->view_wanted[VIEW_PERF_SCRIPT] ||
				     options->settings.interval || options->settings.timestamps;
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
	options->names.debug_dirs_given = options->debug_dir_list.count;
	options->names.quick |= options->tool && !options->tool->writes; /* tools print no lines */
	options->no_pager |= options->tool_wanted[TOOL_CONDENSE];
}

int report_options_parse(struct report_options *options, int argc, char **argv)
{
	int rest, r;

	*options = (struct report_options){
		.filter.to = UINT64_MAX,
		.names.symfs = "",
		.settings.min_share = MIN_SHARE,
		.max_memory = MAX_MEMORY,
		.max_seconds = MAX_SECONDS,
	};
	r = options_parse(&option_set, options, &options->paths, argc, argv, &rest);
	for (; !r && rest < argc; rest++) {
		if (options->paths.count == OPTION_LIST_MAX)
			return log_error(EINVAL, "more than %d traces", OPTION_LIST_MAX);
		options->paths.items[options->paths.count++] = argv[rest];
	}
	if (!r)
		r = choose(options);
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
		regfree(&options->chain_comm);
	options->filter.comm = NULL;
	options->settings.chain_comm = NULL;
}

void report_options_help(void)
{
	options_print_help(&option_set, stdout);
}

void report_options_completion(void)
{
	options_print_completion(&option_set, "rwalker-report", stdout);
}
