/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/record_habits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "common/time_units.h"

#define REPORTS "belongs to rwalker-report: the trace holds everything, choose when you read it"
#define HERE(option) "here is " option
#define WALKS "here is --offcpu, as in rwalker-record --offcpu 5 "

/* The most used names of perf record and bcc's tools that are others here, and the reporter's. */
const struct option_habit record_habits[] = {
	{"-v", REPORTS}, {"-q", REPORTS}, {"-U", REPORTS}, {"-K", REPORTS}, {"--tree", REPORTS}, {"--folded", REPORTS},
	{"--export", REPORTS}, {"--html", REPORTS}, {"--user-stacks-only", REPORTS " (-U)"},
	{"--kernel-stacks-only", REPORTS " (-K)"},

	{"-g", "here is -u, which adds user stacks; kernel stacks are always recorded"},
	{"--call-graph", "here is -u (by frame pointer) or --dwarf; kernel stacks are always recorded"},
	{"--all-cpus", "is not needed: all CPUs are recorded; with a command, --system-wide records all threads"},
	{"-F", HERE("-f, as in -f 99")},
	{"-e", "here is --trace for tracepoints, as in --trace sched:sched_switch; -p 5 samples the CPUs"},
	{"--event", "here is --trace for tracepoints, as in --trace sched:sched_switch; -p 5 samples the CPUs"},
	{"-t", HERE("--tid, as in --tid 1234")},
	{"-L", HERE("--tid, as in --tid 1234")},
	{"-G", HERE("--cgroup PATH, as in --cgroup /sys/fs/cgroup/system.slice")},
	{"--cgroupmap", HERE("--cgroup PATH")},
	{"--off-cpu", HERE("--offcpu, as in --offcpu 5")},
	{"--mmap-pages", HERE("--ringbuf-size, in megabytes")},
	{"--overwrite", "is --flight here, as in --flight 60s; kill -USR2 writes the last minute"},
	{"--switch-output", "is --flight here, as in --flight 60s; kill -USR2 writes the last minute"},
	{"-C 0-3", "here is -P 0-3; -C N ends after N walks"},
	{"-p PID", "here is --pid PID, as in --pid 1234; -p 5 samples the CPUs for 5 seconds"},
	{"--cpu", HERE("-P, as in -P 0-3")},
	{"--user-threads-only", HERE("--user-threads")},
	{"--kernel-threads-only", HERE("--kernel-threads")},
	{"--stack-storage-size", "is not needed: this recorder keeps no stacks in a map"},

	/* first words: what to type instead */
	{"record", "is not needed: this program only records, as in rwalker-record -p 5 -u -o t.rwk"},
	{"report", "reads a trace: rwalker-report t.rwk"},
	{"top", "does not exist here: rwalker-record -p 5 -u -o t.rwk, then rwalker-report t.rwk"},
	{"sched", WALKS "--wakers -u -o t.rwk"},
	{"profile", "here is -p, as in rwalker-record -p 5 -u -o t.rwk"},
	{"offcputime", WALKS "-u -o t.rwk"},
	{"offwaketime", WALKS "--wakers -u -o t.rwk"},
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
	static const char *const lists[] = {"--pid", "--tid", "-P", "--cpus", NULL};

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
