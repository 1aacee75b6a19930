/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The reporter's command line: what it means, what it refuses; and figures as they are printed. */
#include "report/options/report_options.h"

#include <unistd.h>

#include "report/options/report_values.h"
#include "report/profile/seam/figures.h"
#include "tests/test.h"

enum { MOST_WORDS = 40 };

/* Splits at blanks and parses. The options point into the copy of the line, which stays until the next one. */
static int parse(struct report_options *options, const char *line)
{
	static char copy[256];
	char *words[MOST_WORDS + 2] = {(char *)"rwalker-report"}, *next = copy, *word;
	int count = 1;

	(void)snprintf(copy, sizeof(copy), "%s", line);
	while (count < MOST_WORDS && (word = strsep(&next, " ")))
		words[count++] = word;
	return report_options_parse(options, count, words);
}

static void has_defaults(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "a.rwk b.rwk"));
	CHECK_INT(t, o.paths.count, 2);
	CHECK_STR(t, o.paths.items[1], "b.rwk");
	CHECK(t, !o.view && !o.tool);
	CHECK_INT(t, o.settings.min_share, 2500);
	CHECK_INT(t, o.settings.max_groups, 0);
	CHECK(t, o.filter.to == UINT64_MAX);
	CHECK(t, !o.filter.comm && !o.filter.pid_count && !o.filter.cpus && !o.filter.states && !o.filter.sources);
	CHECK_STR(t, o.names.debug_dirs[0], "/usr/lib/debug");
	CHECK(t, !o.names.debug_dirs[1]);
	CHECK_STR(t, o.names.symfs, "");
	CHECK(t, o.max_memory == UINT64_MAX);
	CHECK_STR(t, o.settings.filters, "");
	report_options_deinit(&o);
}

static void takes_filters(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "-c ^a|b$ --pid 1,22 --pid 3 --tid 7 -P 0-2,70 --state DK -w 2.5 --time 1.5,20 -U t"));
	CHECK(t, o.filter.comm && !regexec(o.filter.comm, "ab", 0, NULL, 0));
	CHECK_INT(t, o.filter.pid_count, 3);
	CHECK_INT(t, o.filter.pids[1], 22);
	CHECK_INT(t, o.filter.tids[0], 7);
	CHECK_INT(t, o.filter.cpus[0], 7);
	CHECK_INT(t, o.filter.cpus[1], 1 << 6);
	CHECK_STR(t, o.filter.states, "DK");
	CHECK_INT(t, o.filter.min_wait, 2500000000);
	CHECK_INT(t, o.filter.from, 1500000000);
	CHECK_INT(t, o.filter.to, 20000000000);
	CHECK(t, o.filter.user_only && o.settings.user_only);
	CHECK_STR(t, o.settings.filters,
		  "-c ^a|b$ --pid 1,22 --pid 3 --tid 7 -P 0-2,70 --state DK -w 2.5 --time 1.5,20 -U");
	report_options_deinit(&o);
}

static void takes_shapes(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "-fvs --per-process --delimited --min-percent 1.5 --max-groups=3 t"));
	CHECK(t, o.view == &views[VIEW_FOLDED]);
	CHECK(t, o.settings.addresses && o.settings.offsets && o.settings.per_process && o.settings.delimited);
	CHECK_INT(t, o.settings.min_share, 15000);
	CHECK_INT(t, o.settings.max_groups, 3);
	REQUIRE(t, !parse(&o, "--stacks --source tasks --source cpu --color=never --max-memory 8G t"));
	CHECK(t, o.view == &views[VIEW_STACKS]);
	CHECK_INT(t, o.filter.sources, 1 << PROFILE_TASKS | 1 << PROFILE_CPU);
	CHECK_INT(t, o.color, REPORT_COLOR_NEVER);
	CHECK_INT(t, o.max_memory, 8LL << 30);
	REQUIRE(t, !parse(&o, "--dump -- -t"));
	CHECK(t, o.tool == &tools[TOOL_DUMP]);
	CHECK_STR(t, o.paths.items[0], "-t");
	REQUIRE(t, !parse(&o, "--debug-dir x --debug-dir y -"));
	CHECK_STR(t, o.names.debug_dirs[1], "y");
	CHECK(t, !o.names.debug_dirs[2]);
	REQUIRE(t, !parse(&o, "--help"));
}

/* Files that options name may be opened anywhere; the default folders are not among them. */
static void lists_what_is_named(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "--network-files --symfs s --debug-dir d --vmlinux v --kallsyms k a b"));
	CHECK(t, o.opener.network_files && !o.opener.no_local_files);
	CHECK_STR(t, o.opener.files[0], "a");
	CHECK_STR(t, o.opener.files[1], "b");
	CHECK_STR(t, o.opener.files[2], "v");
	CHECK_STR(t, o.opener.files[3], "k");
	CHECK(t, !o.opener.files[4]);
	CHECK_STR(t, o.opener.folders[0], "s");
	CHECK_STR(t, o.opener.folders[1], "d");
	CHECK(t, !o.opener.folders[2]);
	REQUIRE(t, !parse(&o, "--no-local-files a"));
	CHECK(t, o.opener.no_local_files && !o.opener.folders[0] && !o.opener.files[1]);
}

static void takes_moments(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "--at +2.5s~50ms t"));
	CHECK(t, o.view == &views[VIEW_AT]);
	CHECK_INT(t, o.settings.at.kind, PROFILE_MOMENT_OFFSET);
	CHECK_INT(t, o.settings.at.ns, 2500000000);
	CHECK_INT(t, o.settings.at_around, 50000000);
	CHECK(t, !o.settings.some_waits);
	REQUIRE(t, !parse(&o, "--time 12:00:03,12:00:05.5 -P 1 t"));
	CHECK_INT(t, o.from.kind, PROFILE_MOMENT_DAYTIME);
	CHECK_INT(t, o.to.ns, 43205500000000);
	CHECK(t, !o.filter.from && o.filter.to == UINT64_MAX && o.settings.some_waits);
	CHECK(t, o.filter.from_moment.ns == 43203000000000 && o.filter.to_moment.kind == PROFILE_MOMENT_DAYTIME);
	REQUIRE(t, !parse(&o, "--time 1,2 --time 5, t"));
	CHECK(t, o.filter.from == 5000000000 && o.filter.to == UINT64_MAX);
	CHECK(t, !o.filter.from_moment.kind && !o.filter.to_moment.kind);
	CHECK(t, o.from.kind == PROFILE_MOMENT_OFFSET && o.to.kind == PROFILE_MOMENT_NONE);
}

/* Waits throughout are set apart for people; those who follow wakers need everyone. */
static void chooses_whom_to_show(struct test *t)
{
	static const struct {
		const char *line;
		bool apart, everyone;
	} cases[] = {
		{"t", true, true}, {"--digest t", true, true}, {"--tree t", true, false}, {"--by comm t", true, false},
		{"--chains t", true, true}, {"--at 1s t", true, true}, {"--summary t", true, false},
		{"--events t", true, false}, {"--throughout --tree t", false, false}, {"--throughout t", false, true},
		{"--folded t", false, false}, {"--folded --wakers t", false, false}, {"--info t", false, false},
		{"--export perf-script t", false, false}, {"--top-waits t", true, false},
	};
	struct report_options o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		REQUIRE(t, !parse(&o, cases[i].line));
		test_check(t, o.filter.apart == cases[i].apart && o.filter.everyone == cases[i].everyone,
			   "'%s' shows others", cases[i].line);
	}
	REQUIRE(t, !parse(&o, "--user-threads t"));
	CHECK(t, o.filter.user_threads && !o.filter.kernel_threads && !o.settings.names_tasks);
	CHECK_STR(t, o.settings.filters, "--user-threads");
	REQUIRE(t, !parse(&o, "--kernel-threads --tid 3 t"));
	CHECK(t, !o.filter.user_threads && o.filter.kernel_threads && o.settings.names_tasks);
	CHECK_STR(t, o.settings.filters, "--tid 3 --kernel-threads");
}

static void takes_top_waits(struct test *t)
{
	static const struct {
		const char *line;
		unsigned int most;
		enum view_kind view;
	} cases[] = {
		{"--top-waits t", 20, VIEW_TOP_WAITS},	 {"--top-waits=5 t", 5, VIEW_TOP_WAITS},
		{"--top-waits=0 t", 0, VIEW_TOP_WAITS},
	};
	struct report_options o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		REQUIRE(t, !parse(&o, cases[i].line));
		CHECK(t, o.view == &views[cases[i].view]);
		CHECK_INT(t, o.settings.top_waits, cases[i].most);
	}
}

static void takes_orders_of_functions(struct test *t)
{
	static const struct {
		const char *line;
		enum view_order order;
	} cases[] = {
		{"--functions t", VIEW_BY_SELF},	{"--functions=self t", VIEW_BY_SELF},
		{"--functions=total t", VIEW_BY_TOTAL}, {"--functions=count t", VIEW_BY_COUNT},
		{"--functions=name t", VIEW_BY_NAME},	{"--functions=module t", VIEW_BY_MODULE},
	};
	struct report_options o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		REQUIRE(t, !parse(&o, cases[i].line));
		CHECK(t, o.view == &views[VIEW_FUNCTIONS]);
		CHECK_INT(t, o.settings.function_order, cases[i].order);
	}
	REQUIRE(t, !parse(&o, "--top-down t"));
	CHECK(t, o.view == &views[VIEW_TOP_DOWN]);
}

static void takes_groups(struct test *t)
{
	static const struct {
		const char *line, *field;
		enum view_kind view;
	} cases[] = {
		{"--by comm t", "comm", VIEW_TREE},
		{"--by process --functions t", "process", VIEW_FUNCTIONS},
		{"--by thread --top-down t", "thread", VIEW_TOP_DOWN},
		{"--by host --wakers t", "host", VIEW_WAKERS},
		{"--by cpu -f --wakers t", "cpu", VIEW_FOLDED_WAKERS},
	};
	struct report_options o;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		REQUIRE(t, !parse(&o, cases[i].line));
		CHECK(t, o.view == &views[cases[i].view]);
		CHECK_STR(t, o.settings.by->name, cases[i].field);
		CHECK_INT(t, o.filter.each_cpu, !strcmp(cases[i].field, "cpu"));
	}
	REQUIRE(t, !parse(&o, "--tree t"));
	CHECK(t, !o.settings.by && !o.filter.each_cpu);
}

static void takes_wakers_and_chains(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "--wakers t"));
	CHECK(t, o.view == &views[VIEW_WAKERS]);
	REQUIRE(t, !parse(&o, "--wakers -f t"));
	CHECK(t, o.view == &views[VIEW_FOLDED_WAKERS]);
	REQUIRE(t, !parse(&o, "--chains t"));
	CHECK(t, o.view == &views[VIEW_CHAINS] && !o.settings.chain_target);
	REQUIRE(t, !parse(&o, "--chains=123 t"));
	CHECK(t, o.settings.chain_target && !o.settings.chain_comm);
	CHECK_INT(t, o.settings.chain_tid, 123);
	REQUIRE(t, !parse(&o, "--chains=^a|b$ t"));
	CHECK_STR(t, o.settings.chain_target, "^a|b$");
	CHECK(t, o.settings.chain_comm && !regexec(o.settings.chain_comm, "ab", 0, NULL, 0));
	report_options_deinit(&o);
}

static void takes_events_and_intervals(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "--events -vs --source tracepoint --source kfunc t"));
	CHECK(t, o.view == &views[VIEW_EVENTS] && o.filter.each_event && !o.settings.interval);
	CHECK_INT(t, o.filter.sources, 1 << PROFILE_TRACEPOINT | 1 << PROFILE_KFUNC);
	REQUIRE(t, !parse(&o, "--export=perf-script --probe tcp_* --probe x t"));
	CHECK(t, o.view == &views[VIEW_PERF_SCRIPT] && o.filter.each_event);
	CHECK_INT(t, o.filter.probe_count, 2);
	CHECK_STR(t, o.filter.probes[0], "tcp_*");
	CHECK_STR(t, o.settings.filters, "--probe tcp_* --probe x");
	REQUIRE(t, !parse(&o, "--stacks -Ti 0.5 t"));
	CHECK(t, o.view == &views[VIEW_STACKS] && o.settings.timestamps && o.filter.each_event);
	CHECK_INT(t, o.settings.interval, 500000000);
	REQUIRE(t, !parse(&o, "--folded -T t"));
	CHECK(t, o.filter.each_event && !o.settings.interval);
	REQUIRE(t, !parse(&o, "--folded t"));
	CHECK(t, !o.filter.each_event && !o.filter.probe_count);
}

static void takes_a_cache(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "--cache x t"));
	CHECK_STR(t, o.cache, "x");
	CHECK(t, !o.no_cache && !o.tool);
	REQUIRE(t, !parse(&o, "--no-cache t"));
	CHECK(t, !o.cache && o.no_cache);
}

static void takes_scrubbing(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "--scrub --keep ^lib|^c$ --partial -o x t"));
	CHECK(t, o.tool == &tools[TOOL_SCRUB]);
	CHECK(t, o.kept && !regexec(o.kept, "libc", 0, NULL, 0));
	report_options_deinit(&o);
	REQUIRE(t, !parse(&o, "--scrub -o - t"));
	CHECK(t, !o.kept);
	report_options_deinit(&o);
}

static void takes_objects(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "--on ^tcp|held t"));
	CHECK(t, o.filter.on.passes && o.settings.some_waits);
	CHECK_INT(t, o.filter.sources, 1 << PROFILE_OFFCPU | 1 << PROFILE_WAKERS | 1 << PROFILE_TASKS);
	CHECK(t, !regexec(&o.on.expression, "a lock (held by b)", 0, NULL, 0));
	CHECK_STR(t, o.settings.filters, "--on ^tcp|held");
	report_options_deinit(&o);
}

static void refuses(struct test *t)
{
	static const char *const lines[] = {
		"--tree", "--tree --folded t", "--info --dump t", "-c ( t", "-c a -c b t", "--on ( t",
		"--on a --on b t", "--on a --source cpu t", "--pid 1, t", "--pid x t",
		"--pid 99999999999 t", "-P 5-2 t", "-P 9000 t", "--state Q t", "--state  t", "-w -1 t", "-w 1e3 t",
		"--time 5 t", "--time 5,1 t", "--time a,b t", "--source disk t", "-U -K t", "--min-percent 101 t",
		"--min-percent 0.00001 t", "--max-groups 0 t", "--max-memory 5X t", "--color=red t",
		"--top-waits=x t", "--top-waits=-1 t", "--waits-on=x t", "--waits-on= t", "--waits-on --tree t",
		"--functions=x t", "--functions --tree t", "--functions= t",
		"--by pid t", "--by t", "--by comm --by cpu t", "--by comm --chains t", "--by comm --info t",
		"--top-waits --tree t", "--at t", "--at x t", "--at 5~x t", "--at 5 --at 6 t",
		"--at 5 --top-waits t",
		"--diff t", "--svg=x t", "--svg --tree t", "--by x --svg t",
		"--base b t", "--base b --tree t",
		"--base b --info t",
		"--diff --base b --tree t",
		"--wakers --tree t", "--wakers --folded --tree t", "--chains --folded t",
		"--chains=( t", "--chains= t", "--chains=a --chains=b t",
		"--time 12:00:61, t",
		"--export x t", "--export t", "--events --tree t",
		"--events --export perf-script t", "--probe  t", "-i 0 -f t",
		"-i x -f t", "-i 1e9 -f t", "-i 1 t", "-i 1 --tree t", "-i 1 --events t",
		"--cache x", "--resolve-lines t",
		"--resolve-lines -o x", "--resolve-lines -q -o x t", "--info -o x t",
		"--condense t", "--scrub t", "--scrub=hosts -o x t", "--scrub --condense -o x t", "--scrub -o x t u",
		"--scrub -o x -c a t", "--scrub -q -o x t",
		"--scrub --keep ( -o x t", "--scrub --keep a --keep b -o x t",
		/* the recorder's */
		"-a t", "-r t", "-C 1 t", "-p 5 t", "-d 1 t", "-u t", "-o x t", "--freq 5 t", "--embed full t",
		"--finalize t", "--stack-storage-size 5 t",
	};
	struct report_options o;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		test_check(t, parse(&o, lines[i]) == -EINVAL, "\"%s\" is taken", lines[i]);
		report_options_deinit(&o);
	}
}

static void keeps_hostile_filters_printable(struct test *t)
{
	struct report_options o;

	REQUIRE(t, !parse(&o, "-c \033[31m.* t") || !parse(&o, "-c x\033]0;y t"));
	CHECK(t, !strchr(o.settings.filters, '\033'));
	CHECK(t, strstr(o.settings.filters, "\\x1b"));
	report_options_deinit(&o);
}

static void prints_figures(struct test *t)
{
	CHECK_STR(t, figure_percent(2298, 10000).text, "22.98");
	CHECK_STR(t, figure_percent(1, 3).text, "33.33");
	CHECK_STR(t, figure_percent(2, 3).text, "66.67");
	CHECK_STR(t, figure_percent(5, 0).text, "0.00");
	CHECK_STR(t, figure_percent(UINT64_MAX, UINT64_MAX).text, "100.00");
	CHECK_STR(t, figure_seconds(5230000000).text, "5.23");
	CHECK_STR(t, figure_seconds(4999999).text, "0.00");
	CHECK_STR(t, figure_seconds(5000000).text, "0.01");
	CHECK_STR(t, figure_seconds(UINT64_MAX).text, "18446744073.71");
	CHECK_STR(t, figure_milliseconds(123449999).text, "123.4");
	CHECK_STR(t, figure_bytes(1023).text, "1023 B");
	CHECK_STR(t, figure_bytes(1024).text, "1.0 KB");
	CHECK_STR(t, figure_bytes(12595).text, "12.3 KB");
	CHECK_STR(t, figure_bytes(UINT64_MAX).text, "16.0 EB");
	CHECK_STR(t, figure_date(0).text, "unknown");
	CHECK(t, figure_reaches(25, 10000, 2500) && !figure_reaches(24, 10000, 2500) && figure_reaches(0, 0, 5));
}

TEST_MAIN(TEST(has_defaults), TEST(takes_filters), TEST(takes_shapes), TEST(lists_what_is_named), TEST(takes_moments),
	  TEST(chooses_whom_to_show), TEST(takes_top_waits), TEST(takes_orders_of_functions), TEST(takes_groups),
	  TEST(takes_wakers_and_chains),
	  TEST(takes_events_and_intervals), TEST(takes_a_cache),
	  TEST(takes_scrubbing), TEST(takes_objects), TEST(refuses),
	  TEST(keeps_hostile_filters_printable), TEST(prints_figures))
