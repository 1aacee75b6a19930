/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/options/report_habits.h"

#include <errno.h>
#include <string.h>

#include "common/log.h"
#include "report/options/report_option_rows.h"

#define RECORDS(instead) "belongs to rwalker-record: what was not recorded cannot be reported" instead
#define HERE(option) "here is " option

/* The most used names of perf report, perf script and bcc's tools that are others here, and the recorder's. */
const struct option_habit report_habits[] = {
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
