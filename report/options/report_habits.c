/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/options/report_habits.h"

#include <errno.h>
#include <string.h>

#include "common/log.h"
#include "report/options/report_option_rows.h"

#define RECORDS "belongs to rwalker-record: what was not recorded cannot be reported"
#define RECORDS_BUT(instead) RECORDS " (" instead ")"
#define HERE(option) "here is " option
#define PLAIN "is not needed: reports are plain text, and a pager shows them on a terminal"
#define MISSING "is not recorded by rwalker-record"
#define SHAPE "does not exist here: --folded and --export perf-script are for other tools to count and sort"

const struct option_habit report_habits[] = {
	/* of the recorder */
	{"-a", RECORDS}, {"--all", RECORDS}, {"-C", RECORDS_BUT("-P 0-3 chooses CPUs")},
	{"--count", RECORDS_BUT("--counts shows hits")},
	{"-r", RECORDS_BUT("--state R shows running tasks")},
	{"--running", RECORDS_BUT("--state R shows running tasks")},
	{"--stuck", RECORDS_BUT("--state D shows stuck tasks")},
	{"-p", RECORDS_BUT("--pid 1234 chooses a process")},
	{"--profile", RECORDS_BUT("--source cpu shows samples")},
	{"--offcpu", RECORDS_BUT("--source offcpu shows waits")},
	{"-d", RECORDS_BUT("--time A,B cuts a range, --delimited marks where user frames begin")},
	{"--duration", RECORDS_BUT("--time A,B cuts a range")},
	{"-u", RECORDS_BUT("-U hides kernel frames")},
	{"--user", RECORDS_BUT("-U hides kernel frames")},
	{"--trace", RECORDS_BUT("--probe NAME chooses a tracepoint")},
	{"--kfunc", RECORDS_BUT("--probe NAME chooses a function")},
	{"--dwarf", RECORDS}, {"--dwarf-size", RECORDS}, {"--freq", RECORDS}, {"--sw-perf", RECORDS},
	{"--rate-limit", RECORDS}, {"--max-probes", RECORDS}, {"--system-wide", RECORDS},
	{"--embed", RECORDS}, {"--max-size", RECORDS}, {"--ringbuf-size", RECORDS}, {"--dwarf-ringbuf-size", RECORDS},
	{"--no-objects", RECORDS}, {"--no-cgroups", RECORDS}, {"--check-host", RECORDS}, {"--flight", RECORDS},
	{"--config", RECORDS}, {"--plan", RECORDS}, {"--max-cpu", RECORDS}, {"--realtime-safe", RECORDS},
	{"--trigger", RECORDS},
	{"--post", RECORDS}, {"--cooldown", RECORDS}, {"--max-dumps", RECORDS}, {"--max-kept", RECORDS},
	{"--on-dump", RECORDS},
	{"--keep-kernel-addresses", RECORDS},
	{"--finalize", "belongs to rwalker-record, on the host and boot where the trace was recorded"},

	/* perf report, perf script */
	{"-i FILE", "needs no option here: rwalker-report FILE"},
	{"--input", "needs no option here: rwalker-report FILE"},
	{"--stdio", PLAIN}, {"--stdio2", PLAIN}, {"--stdio-color", HERE("--color")}, {"--tui", PLAIN}, {"--gtk", PLAIN},
	{"--no-children", "is the default: --tree shows leaf functions with their callers"},
	{"--children", "here is --functions=total, or --top-down as a tree"},
	{"-g", "is not needed: --tree shows call chains"},
	{"-G", HERE("--top-down; --tree shows callers below each leaf function")},
	{"--call-graph", "is not needed: --tree shows call chains; the recorder chooses how to unwind (-u, --dwarf)"},
	{"--inverted", HERE("--top-down; --tree shows callers below each leaf function")},
	{"--caller", HERE("--top-down")},
	{"--callee", "is not needed: --tree shows callers below each leaf function"},
	{"--sort", "here is --by comm, process, thread or cpu; for functions --functions=self or --functions=total"},
	{"-F", HERE("--export perf-script, which has fixed fields")},
	{"--fields", HERE("--export perf-script, which has fixed fields")},
	{"--percent-limit", HERE("--min-percent, as in --min-percent 1")},
	{"--percentage", "does not exist here: percentages are of all that passed the filters"},
	{"--comms", HERE("-c, as in -c '^nginx$'")},
	{"--comm", HERE("-c, as in -c '^nginx$'")},
	{"--dso", SHAPE}, {"--dsos", SHAPE}, {"-S", SHAPE}, {"--symbols", SHAPE}, {"--symbol-filter", SHAPE},
	{"--parent", SHAPE}, {"-x", SHAPE}, {"--ignore-callees", SHAPE}, {"--field-separator", SHAPE},
	{"--hierarchy", SHAPE}, {"--group", SHAPE},
	{"--cpu", HERE("-P, as in -P 0-3")},
	{"-n", "is not needed: counts are shown"},
	{"--nr-samples", "is not needed: counts are shown"},
	{"--show-total-period", "is not needed: totals are shown"},
	{"--show-nr-samples", "is not needed: counts are shown"},
	{"-D", HERE("--dump")},
	{"--dump-raw-trace", HERE("--dump")},
	{"--header", HERE("--info")}, {"--header-only", HERE("--info")}, {"-I", HERE("--info")},
	{"--show-info", HERE("--info")}, {"--stats", HERE("--info")}, {"--tasks-list", HERE("--tasks")},
	{"--stat", HERE("--info")}, {"--mmaps", HERE("--dump")},
	{"--max-stack", "does not exist here: stacks are shown whole"},
	{"--no-inline", HERE("-q")},
	{"--inline", "is the default; -q turns it off"},
	{"--no-demangle", HERE("--mangled")},
	{"--demangle", "is the default; --mangled turns it off"},
	{"--demangle-kernel", "is the default; --mangled turns it off"},
	{"-k", HERE("--vmlinux FILE")},
	{"--modules", "is not needed: kernel modules have names in the trace"}, {"-m FILE", "takes microseconds here"},
	{"--verbose", HERE("-v")},
	{"--quiet", "does not exist here: 2>/dev/null hides messages"},
	{"--branch-stack", MISSING}, {"-b", MISSING}, {"--branch-history", MISSING}, {"--mem-mode", MISSING},
	{"--itrace", MISSING}, {"--total-cycles", MISSING}, {"--raw-trace", HERE("--dump")},
	{"--source-line", "is not needed: lines are shown where they are known"}, {"-l", PLAIN},
	{"--objdump", "does not exist here: lines are shown where they are known"},
	{"--latency", "does not exist here; --summary shows where each thread's time went"},
	{"--show-task-events", HERE("--dump")}, {"--show-mmap-events", HERE("--dump")},
	{"--show-switch-events", HERE("--events")}, {"--show-lost-events", HERE("--info")},
	{"--per-thread", HERE("--by thread, or --summary, which has a line for each thread")},
	{"--reltime", "is not needed: --events shows times of day; -T adds them to --stacks"},
	{"--deltatime", HERE("--events")}, {"--ns", HERE("--events")},
	{"--script", "does not exist here: --export perf-script | your script"},
	{"--gen-script", "does not exist here: --export perf-script | your script"},
	{"-t", HERE("--tid, as in --tid 1234")},
	{"-e", HERE("--probe for tracepoints, or --source cpu")},
	{"--event", HERE("--probe for tracepoints, or --source cpu")},

	/* bcc's tools, flame graphs, pprof, strace */
	{"--user-stacks-only", HERE("-U")}, {"--kernel-stacks-only", HERE("-K")},
	{"--user-only", HERE("-U")}, {"--kernel-only", HERE("-K")},
	{"--user-threads-only", HERE("--user-threads")}, {"--kernel-threads-only", HERE("--kernel-threads")},
	{"--fold", HERE("--folded")}, {"--collapse", HERE("--folded")},
	{"--flamegraph", HERE("--svg: rwalker-report --svg FILE -o cpu.svg; --folded is for other tools")},
	{"--flame-graph", HERE("--svg: rwalker-report --svg FILE -o cpu.svg; --folded is for other tools")},
	{"--icicle", HERE("--svg=icicle")}, {"--flame", HERE("--svg")},
	{"--json", HERE("--export sqlite, which sqlite3 -json reads")},
	{"--csv", HERE("--export sqlite, which sqlite3 -csv reads")},
	{"--speedscope", HERE("--export speedscope")},
	{"--chrome", HERE("--export chrome, which Perfetto reads, too")},
	{"--firefox", HERE("--export firefox")},
	{"--pprof", "here is --export pprof: rwalker-report --export pprof FILE -o cpu.pb.gz"},
	{"--sqlite", "here is --export sqlite: rwalker-report --export sqlite FILE -o trace.sqlite"},
	{"--sql", "here is --export sqlite: rwalker-report --export sqlite FILE -o trace.sqlite"},
	{"--db", "here is --export sqlite: rwalker-report --export sqlite FILE -o trace.sqlite"},
	{"--html", "does not exist here: --folded FILE | flamegraph.pl > cpu.svg"},
	{"--text", PLAIN}, {"--peek", SHAPE}, {"--focus", SHAPE}, {"--ignore", SHAPE}, {"--list", SHAPE},
	{"--annotations", HERE("-v")}, {"--perpid", HERE("--per-process")},
	{"--stack-storage-size", "is not needed: a trace holds all stacks"},
	{"--top", HERE("--max-groups, as in --max-groups 10")},
	{"--limit", HERE("--max-groups, as in --max-groups 10")},
	{"--process", HERE("--pid, as in --pid 1234")},
	{"--thread", HERE("--tid, as in --tid 1234")},
	{"--name", HERE("-c, as in -c '^nginx$'")},
	{"--since", HERE("--time, as in --time 1.5,20")}, {"--until", HERE("--time, as in --time ,20")},
	{"--from", HERE("--time, as in --time 1.5,20")}, {"--to", HERE("--time, as in --time ,20")},
	{"--start", HERE("--time, as in --time 1.5,20")}, {"--end", HERE("--time, as in --time ,20")},
	{"--less", HERE("--color, with $PAGER")},
	{"--pager", "here is $RWALKER_PAGER or $PAGER; --no-pager turns it off"},
	{"--colour", HERE("--color")}, {"--no-color", HERE("--color=never")}, {"--no-colour", HERE("--color=never")},
	{"--waker", HERE("--wakers")}, {"--chain", HERE("--chains")},
	{"--diff-base", HERE("--base: --diff --base before.rwk after.rwk")},
	{"--compare", HERE("--diff: --diff --base before.rwk after.rwk")},
	{"--before", HERE("--base: --diff --base before.rwk after.rwk")},
	{"--group-by", HERE("--by, as in --by comm")}, {"--per-cpu", HERE("--by cpu")},
	{"--per-thread", HERE("--by thread")}, {"--threads", "here is --by thread, or --summary, a line for each"},
	{"--bottom-up", HERE("--tree")}, {"--callees", "is not needed: --tree shows callers below each leaf function"},
	{"--inverse", HERE("--top-down; --tree shows callers below each leaf function")},
	{"--no-kernel", HERE("-U")}, {"--hide-kernel", HERE("-U")}, {"--no-user", HERE("-K")},
	{"--only-user", HERE("-U")}, {"--only-kernel", HERE("-K")},
	{"--flame", HERE("--folded: rwalker-report --folded FILE | flamegraph.pl > cpu.svg")},
	{"--symbol", SHAPE}, {"--field", HERE("--export perf-script, which has fixed fields")},
	{"--head", HERE("--max-groups, as in --max-groups 10")},
	{"--first", HERE("--max-groups, as in --max-groups 10")},
	{"--longest", HERE("--top-waits")}, {"--waits", HERE("--top-waits; --summary has a line for each thread")},
	{"--blocked", HERE("--class blocked")}, {"--blocked-by", HERE("--chains, as in --chains=nginx")},
	{"--lat", "does not exist here; --summary shows where each thread's time went"},
	{"--runqlat", "does not exist here; --summary shows how long each thread waited for a CPU"},
	{"--width", "is not needed: lines fold at the terminal's width, and are whole in a pipe"},
	{"-?", HERE("--help")},

	/* first words */
	{"report", "is not needed: rwalker-report t.rwk"},
	{"script", HERE("--export perf-script: rwalker-report --export perf-script t.rwk")},
	{"record", "belongs to the other program: rwalker-record -p 5 -u -o t.rwk"},
	{"annotate", "does not exist here: rwalker-report t.rwk shows lines where they are known"},
	{"diff", HERE("--diff: rwalker-report --diff --base before.rwk after.rwk")},
	{"top", "does not exist here: rwalker-record -p 5 -u -o t.rwk, then rwalker-report t.rwk"},
	{"stat", "does not exist here: rwalker-report --info t.rwk"},
	{"info", HERE("--info: rwalker-report --info t.rwk")},
	{"tree", HERE("--tree: rwalker-report --tree t.rwk")},
	{"chains", HERE("--chains: rwalker-report --chains t.rwk")},
	{"summary", HERE("--summary: rwalker-report --summary t.rwk")},
	{"folded", HERE("--folded: rwalker-report --folded t.rwk")},
	{"help", HERE("--help")},
	{"version", HERE("--version")},
	{NULL, NULL},
};

/* Whether an option's value can only be given after "=". */
static bool wants_equals(const char *option)
{
	const struct option_row *row = report_option_set.rows;

	if (option[0] != '-' || option[1] != '-')
		return false;
	for (; row->long_name || row->short_name; row++)
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
