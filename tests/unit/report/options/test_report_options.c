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

TEST_MAIN(TEST(lists_what_is_named), TEST(refuses), TEST(keeps_hostile_filters_printable))
