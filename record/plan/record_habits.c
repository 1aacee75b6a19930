/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/record_habits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/duration.h"
#include "common/log.h"
#include "common/time_units.h"

#define REPORTS	   "belongs to rwalker-report: the trace holds everything, choose when you read it"
#define REPORTS_AS(option) REPORTS " (" option ")"
#define HERE(option) "here is " option
#define FIXED	   "is not needed: this recorder chooses by itself"
#define MISSING	   "is not recorded by this program"

const struct option_habit record_habits[] = {
	/* the reporter's */
	{"-v", REPORTS}, {"-q", REPORTS}, {"-U", REPORTS}, {"-K", REPORTS}, {"-T", REPORTS},
	{"--tree", REPORTS}, {"--tasks", REPORTS}, {"--folded", REPORTS}, {"--histogram", REPORTS},
	{"--stacks", REPORTS}, {"--counts", REPORTS}, {"--chains", REPORTS}, {"--top-waits", REPORTS},
	{"--svg", REPORTS}, {"--diff", REPORTS}, {"--base", REPORTS},
	{"--at", REPORTS}, {"--summary", REPORTS}, {"--events", REPORTS}, {"--export", REPORTS},
	{"--digest", REPORTS}, {"--functions", REPORTS}, {"--top-down", REPORTS}, {"--by", REPORTS},
	{"--info", REPORTS}, {"--needs", REPORTS}, {"--dump", REPORTS},
	{"--condense", REPORTS}, {"--partial", REPORTS}, {"--scrub", REPORTS}, {"--keep", REPORTS},
	{"--resolve-lines", REPORTS},
	{"--class", REPORTS}, {"--time", REPORTS}, {"--source", REPORTS}, {"--probe", REPORTS},
	{"--throughout", REPORTS},
	{"--quick", REPORTS}, {"--timestamps", REPORTS}, {"--per-process", REPORTS}, {"--delimited", REPORTS},
	{"--min-percent", REPORTS}, {"--output-filter", REPORTS_AS("--min-percent")}, {"--max-groups", REPORTS},
	{"--raw", REPORTS}, {"--mangled", REPORTS}, {"--raw-frames", REPORTS}, {"--debug-dir", REPORTS},
	{"--symfs", REPORTS}, {"--debuginfod", REPORTS}, {"--vmlinux", REPORTS}, {"--kallsyms", REPORTS},
	{"--network-files", REPORTS}, {"--no-local-files", REPORTS}, {"--cache", REPORTS}, {"--no-cache", REPORTS},
	{"--color", REPORTS}, {"--no-pager", REPORTS},
	{"--max-seconds", REPORTS}, {"--no-sandbox", REPORTS}, {"--html", REPORTS},
	{"--waits-on", REPORTS},
	{"--max-page", REPORTS},

	{"--stdio", REPORTS}, {"--tui", REPORTS}, {"--children", REPORTS}, {"--no-children", REPORTS},
	{"--sort", REPORTS}, {"--percent-limit", REPORTS_AS("--min-percent")}, {"--header", REPORTS_AS("--info")},

	/* perf record */
	{"-g", "here is -u, which adds user stacks; kernel stacks are always recorded"},
	{"--call-graph", "here is -u (by frame pointer) or --dwarf; kernel stacks are always recorded"},
	{"--kernel-callchains", "is not needed: kernel stacks are always recorded"},
	{"--user-callchains", HERE("-u")},
	{"--all-cpus", "is not needed: all CPUs are recorded; with a command, --system-wide records all threads"},
	{"--all-user", REPORTS_AS("-U")},
	{"--all-kernel", REPORTS_AS("-K")},
	{"-F", HERE("-f, as in -f 99")},
	{"--frequency", HERE("-f, as in -f 99")},
	{"-e", "here is --trace for tracepoints, as in --trace sched:sched_switch; -p 5 samples the CPUs"},
	{"--event", "here is --trace for tracepoints, as in --trace sched:sched_switch; -p 5 samples the CPUs"},
	{"-t", HERE("--tid, as in --tid 1234")},
	{"-k", "is not needed: times are the host's, and rwalker-report shows them"},
	{"--clockid", "is not needed: times are the host's, and rwalker-report shows them"},
	{"-C 0-3", "here is -P 0-3; -C N ends after N walks"},
	{"-G", HERE("--cgroup PATH, as in --cgroup /sys/fs/cgroup/system.slice")},
	{"--for-each-cgroup", HERE("--cgroup PATH")},
	{"--off-cpu", HERE("--offcpu, as in --offcpu 5")},
	{"--off-cpu-thresh", HERE("-m, in microseconds")},
	{"--delay", "does not exist here: start rwalker-record later, as in sleep 5; rwalker-record -p 10"},
	{"-D", "does not exist here: start rwalker-record later; -d 5 ends it after 5 seconds"},
	{"--mmap-pages", HERE("--ringbuf-size, in megabytes")},
	{"--no-inherit", "does not exist here: a command's children are always recorded; --pid chooses processes"},
	{"--inherit", "is not needed: a command's children are always recorded"},
	{"--uid", "does not exist here; choose by --pid, -c or --cgroup"},
	{"--verbose", REPORTS_AS("-v")},
	{"--quiet", "does not exist here: 2>/dev/null hides messages"},
	{"--no-samples", FIXED}, {"--no-buildid", FIXED}, {"--no-buildid-cache", FIXED}, {"--buildid-all", FIXED},
	{"--buildid-mmap", FIXED}, {"--no-buffering", FIXED}, {"--tail-synthesize", FIXED}, {"--aio", FIXED},
	{"--affinity", FIXED}, {"--threads", FIXED}, {"--synth", FIXED}, {"--timestamp", FIXED}, {"--period", FIXED},
	{"--sample-cpu", FIXED}, {"--running-time", FIXED}, {"--strict-freq", FIXED}, {"--namespaces", FIXED},
	{"--all-cgroups", FIXED}, {"-N", FIXED}, {"-B", FIXED}, {"-R", FIXED}, {"-n", FIXED}, {"-z", FIXED},
	{"--compression-level", FIXED}, {"--proc-map-timeout", FIXED}, {"--num-thread-synthesize", FIXED},
	{"-b", MISSING}, {"-j", MISSING}, {"-W", MISSING}, {"--branch-any", MISSING}, {"--branch-filter", MISSING},
	{"--weight", MISSING}, {"--data", MISSING}, {"--phys-data", MISSING}, {"--intr-regs", MISSING},
	{"--user-regs", MISSING}, {"--transaction", MISSING}, {"--stat", MISSING}, {"--group", MISSING},
	{"--overwrite", "is --flight here, as in --flight 60s; kill -USR2 writes the last minute"},
	{"--switch-output", "is --flight here, as in --flight 60s; kill -USR2 writes the last minute"},
	{"--snapshot", "is --flight here, as in --flight 60s; kill -USR2 writes the last minute"},
	{"--control", "does not exist here: Ctrl-C, or kill -INT, ends a recording that is then complete"},
	{"--switch-events", HERE("--offcpu, as in --offcpu 5")},
	{"--kcore", "is not needed: kernel names are recorded"},
	{"--filter", "does not exist here; choose by --pid, -c, -P or --cgroup"},
	{"--exclude-perf", "is not needed: the recorder leaves itself out"},
	{"-A", "does not exist here: a trace is one recording, and --force overwrites a file"},
	{"--append", "does not exist here: a trace is one recording, and --force overwrites a file"},
	{"-i FILE", "reads a file elsewhere: rwalker-report FILE; -i 2 walks the tasks every 2 seconds"},
	{"-p PID", "here is --pid PID, as in --pid 1234; -p 5 samples the CPUs for 5 seconds"},
	{"-f COMMAND", "follows children elsewhere; here they are always recorded: rwalker-record -u -- COMMAND"},
	{"-d ADDRESSES", "is not recorded by this program; -d 5 ends the recording after 5 seconds"},

	/* bcc's profile, offcputime, wakeuptime, offwaketime, stackcount, funccount, trace; strace */
	{"--stack-storage-size", "is not needed: this recorder keeps no stacks in a map"},
	{"--hash-storage-size", "is not needed: this recorder keeps no stacks in a map"},
	{"--state-filter", HERE("--state, as in --state D")},
	{"-L", HERE("--tid, as in --tid 1234")},
	{"-I", "is not needed: the idle task is only counted"},
	{"--include-idle", "is not needed: the idle task is only counted"},
	{"--cpu", HERE("-P, as in -P 0-3")},
	{"--user-stacks-only", REPORTS_AS("-U")},
	{"--kernel-stacks-only", REPORTS_AS("-K")},
	{"--user-threads-only", HERE("--user-threads")},
	{"--kernel-threads-only", HERE("--kernel-threads")},
	{"--annotations", REPORTS_AS("-v")},
	{"--cgroupmap", HERE("--cgroup PATH")},
	{"--mntnsmap", HERE("--cgroup PATH")},
	{"--regex", "here is --kfunc '/REGEX/', or -c for names of threads"},
	{"--perpid", REPORTS_AS("--per-process")},
	{"--debug", "does not exist here: rwalker-report --info shows how the recording went"},
	{"--waker", HERE("--wakers, with --offcpu")},
	{"--follow-forks", "is not needed: a command's children are always recorded"},
	{"--attach", HERE("--pid, as in --pid 1234")},
	{"--stack-trace", "here is -u, which adds user stacks; kernel stacks are always recorded"},
	{"--kprobe", HERE("--kfunc, as in --kfunc tcp_sendmsg")},
	{"--tracepoint", HERE("--trace, as in --trace sched:sched_switch")},
	{"--uprobe", MISSING},
	{"--comm", HERE("-c, as in -c '^nginx$'")},
	{"--name", HERE("-c, as in -c '^nginx$'")},
	{"--process", HERE("--pid, as in --pid 1234")},
	{"--seconds", "here is -d, or the number of a source, as in -p 5 or --offcpu 5"},
	{"--timeout", HERE("-d, as in -d 10")},
	{"--out", HERE("-o FILE")},
	{"--cpu-profile", HERE("-p, as in -p 5")},
	{"--on-cpu", HERE("-p, as in -p 5")},
	{"--oncpu", HERE("-p, as in -p 5")},
	{"--hz", HERE("-f, as in -f 99")},
	{"--pgid", "does not exist here; choose by --pid, -c or --cgroup"},
	{"--ppid", "does not exist here: -- COMMAND records a command and its descendants"},
	{"--user-stacks", HERE("-u")}, {"--kernel-stacks", "is not needed: kernel stacks are always recorded"},
	{"--stack", "here is -u, which adds user stacks; kernel stacks are always recorded"},
	{"--stacks-user", HERE("-u")}, {"--no-user", "is the default: -u adds user stacks"},
	{"--no-kernel", REPORTS_AS("-U")}, {"--input", "reads a file elsewhere: rwalker-report FILE"},
	{"--daemon", "does not exist here: rwalker-record ... & or systemd-run; kill -INT ends it"},
	{"--background", "does not exist here: rwalker-record ... & or systemd-run; kill -INT ends it"},
	{"--sched", HERE("--offcpu, as in --offcpu 5 --wakers")}, {"--waits", HERE("--offcpu, as in --offcpu 5")},
	{"--blocked", HERE("--offcpu, as in --offcpu 5")}, {"--per-thread", REPORTS_AS("--by thread")},
	{"--syscall", HERE("--trace, as in --trace syscalls:sys_enter_read")},
	{"--syscalls", HERE("--trace, as in --trace syscalls:sys_enter_read")},
	{"--on", REPORTS_AS("--on RE")},
	{"--gzip", "is not needed: a trace is compressed"},
	{"--compress", "is not needed: a trace is compressed"}, {"-y", MISSING}, {"-yy", MISSING}, {"-Z", MISSING},
	{"-?", HERE("--help")},

	/* first words: what to type instead */
	{"record", "is not needed: this program only records, as in rwalker-record -p 5 -u -o t.rwk"},
	{"report", "reads a trace: rwalker-report t.rwk"},
	{"script", "reads a trace: rwalker-report --export perf-script t.rwk"},
	{"annotate", "reads a trace: rwalker-report t.rwk"},
	{"diff", "does not exist here: rwalker-report reads one trace or several"},
	{"stat", "does not exist here: perf stat counts; rwalker-record -p 5 samples"},
	{"top", "does not exist here: rwalker-record -p 5 -u -o t.rwk, then rwalker-report t.rwk"},
	{"trace", "here is --trace for tracepoints, as in rwalker-record --trace sched:sched_switch:5"},
	{"sched", "here is --offcpu, as in rwalker-record --offcpu 5 --wakers -u -o t.rwk"},
	{"lock", "here is --offcpu, as in rwalker-record --offcpu 5 --wakers -u -o t.rwk"},
	{"list", "does not exist here: perf list, or /sys/kernel/tracing/available_events, names tracepoints"},
	{"inject", "does not exist here: rwalker-report --resolve-lines adds lines to a trace"},
	{"archive", "is not needed: the trace is enough"},
	{"profile", "here is -p, as in rwalker-record -p 5 -u -o t.rwk"},
	{"offcputime", "here is --offcpu, as in rwalker-record --offcpu 5 -u -o t.rwk"},
	{"offwaketime", "here is --offcpu, as in rwalker-record --offcpu 5 --wakers -u -o t.rwk"},
	{"wakeuptime", "here is --offcpu, as in rwalker-record --offcpu 5 --wakers -u -o t.rwk"},
	{"stackcount", "here is --kfunc, as in rwalker-record --kfunc tcp_sendmsg:5 -o t.rwk"},
	{"funccount", "here is --kfunc, as in rwalker-record --kfunc 'tcp_*:5' -o t.rwk"},
	{"runqlat", "here is --offcpu, as in rwalker-record --offcpu 5 -o t.rwk; rwalker-report --summary t.rwk"},
	{"strace", "here is --trace, as in rwalker-record --trace 'syscalls:sys_enter_*:5' -u -o t.rwk"},
	{"help", HERE("--help")},
	{"version", HERE("--version")},
	{NULL, NULL},
};

static bool ends_with(const char *word, const char *end)
{
	size_t length = strlen(word), end_length = strlen(end);

	return length >= end_length && !strcmp(word + length - end_length, end);
}

/* Words joined by blanks, as they were typed; quotes are lost. */
static void join(char *text, size_t room, char **words, int count)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < count && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, " %s", words[i]);
}

/* The option whose list of numbers this word was meant to continue, as in "--pid 12 13"; NULL: none. */
static const char *list_before(char **argv, int at)
{
	static const char *const lists[] = {"--pid", "--tid", "-P", "--cpus", "--node", NULL};

	for (const char *const *list = lists; *list; list++)
		if ((at > 2 && !strcmp(argv[at - 2], *list)) ||
		    (!strncmp(argv[at - 1], *list, strlen(*list)) && argv[at - 1][strlen(*list)] == '='))
			return *list;
	return NULL;
}

static int refuse_number(char **argv, int at)
{
	const char *list = list_before(argv, at), *word = argv[at];

	if (list)
		return log_error(EINVAL, "'%s' belongs to no option: join numbers by commas, as in %s 12,345", word,
				 list);
	if (!strcmp(argv[at - 1], "--dwarf"))
		return log_error(EINVAL, "'%s' belongs to no option: --dwarf-size %s limits what is copied of a stack",
				 word, word);
	return log_error(EINVAL, "'%s' belongs to no option: for how long is told to a source, as in -p %s (what the "
			 "CPUs do) or --offcpu %s (what is waited for)", word, word, word);
}

int record_habits_refuse(int argc, char **argv, int at)
{
	const struct option_set set = {.habits = record_habits};
	const struct option_habit *habit = at == 1 ? options_habit(&set, argv[at], strlen(argv[at])) : NULL;
	char options[1024], command[1024];
	const char *word = argv[at];
	uint64_t time;

	if (habit)
		return log_error(EINVAL, "'%s' %s", word, habit->answer);
	if (ends_with(word, ".rwk"))
		return log_error(EINVAL, "'%s' belongs to no option: rwalker-report %s reads a trace, -o FILE writes "
				 "one", word, word);
	if (!duration_parse(word, SECOND, &time))
		return refuse_number(argv, at);
	join(options, sizeof(options), argv + 1, at - 1);
	join(command, sizeof(command), argv + at, argc - at);
	return log_error(EINVAL, "'%s' belongs to no option; a command comes after '--': rwalker-record%s --%s (what "
			 "runs already is chosen by --pid or -c)", word, options, command);
}
