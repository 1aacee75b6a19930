/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The reporter's command line: what it means, what it refuses; and figures as they are printed. */
#include "report/options/report_options.h"

#include <unistd.h>

#include "common/time_units.h"
#include "report/options/report_moment.h"
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

/* --- report moment --- */

/* Moments and lengths of time as people write them. Seconds since 1970 are date(1)'s: date -u -d TEXT +%s. */

struct sample {
	const char *text;
	enum profile_moment_kind kind;
	uint64_t ns;
};

static void check(struct test *t, const struct sample *sample)
{
	struct profile_moment moment = {.kind = PROFILE_MOMENT_NONE};
	int r = report_value_moment(sample->text, strlen(sample->text), &moment);

	test_check(t, !r && moment.kind == sample->kind && moment.ns == sample->ns,
		   "\"%s\" is %d, kind %d, %llu ns, not %llu",
		   sample->text, r, (int)moment.kind, (unsigned long long)moment.ns, (unsigned long long)sample->ns);
}

static void takes_offsets(struct test *t)
{
	static const struct sample samples[] = {
		{"2.5", PROFILE_MOMENT_OFFSET, 2500000000},
		{"+2.5", PROFILE_MOMENT_OFFSET, 2500000000},
		{"+2.5s", PROFILE_MOMENT_OFFSET, 2500000000},
		{"2.5s", PROFILE_MOMENT_OFFSET, 2500000000},
		{"0", PROFILE_MOMENT_OFFSET, 0},
		{"250ms", PROFILE_MOMENT_OFFSET, 250000000},
		{"+0.000001ms", PROFILE_MOMENT_OFFSET, 1},
		{"1.500us", PROFILE_MOMENT_OFFSET, 1500},
		{"7ns", PROFILE_MOMENT_OFFSET, 7},
		{"+2.503123", PROFILE_MOMENT_OFFSET, 2503123000},
		{".5", PROFILE_MOMENT_OFFSET, 500000000},
		{"3.", PROFILE_MOMENT_OFFSET, 3 * SECOND},
		{"0.000000001", PROFILE_MOMENT_OFFSET, 1},
		{"18446744073.709551615", PROFILE_MOMENT_OFFSET, UINT64_MAX},
		{"18446744073709551615ns", PROFILE_MOMENT_OFFSET, UINT64_MAX},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		check(t, &samples[i]);
}

static void takes_dates(struct test *t)
{
	static const struct sample samples[] = {
		{"2026-11-21 12:00:03.25", PROFILE_MOMENT_WALL, 1795262403 * SECOND + 250000000},
		{"2026-11-21T12:00:03.25Z", PROFILE_MOMENT_WALL, 1795262403 * SECOND + 250000000},
		{"2026-11-21 12:00:03.250123 UTC", PROFILE_MOMENT_WALL, 1795262403 * SECOND + 250123000},
		{"2026-11-21 12:00:03", PROFILE_MOMENT_WALL, 1795262403 * SECOND},
		{"2026-11-21 12:00", PROFILE_MOMENT_WALL, 1795262400 * SECOND},
		{"2024-02-29 23:59:59", PROFILE_MOMENT_WALL, 1709251199 * SECOND},
		{"2000-02-29 00:00:00", PROFILE_MOMENT_WALL, 951782400 * SECOND},
		{"1970-01-01 00:00:00.000000001", PROFILE_MOMENT_WALL, 1},
		{"1999-12-31 23:59:59.999999999", PROFILE_MOMENT_WALL, 946684799 * SECOND + 999999999},
		{"2027-01-01 00:00:00", PROFILE_MOMENT_WALL, 1798761600 * SECOND},
		{"2100-03-01 00:00:00", PROFILE_MOMENT_WALL, 4107542400 * SECOND},
		{"2554-07-21 23:34:33.709551615", PROFILE_MOMENT_WALL, UINT64_MAX},
		{"@1732190400.5", PROFILE_MOMENT_WALL, 1732190400 * SECOND + 500000000},
		{"@0", PROFILE_MOMENT_WALL, 0},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		check(t, &samples[i]);
}

static void takes_times_of_day(struct test *t)
{
	static const struct sample samples[] = {
		{"12:00:03.25", PROFILE_MOMENT_DAYTIME, 43203 * SECOND + 250000000},
		{"12:00:03Z", PROFILE_MOMENT_DAYTIME, 43203 * SECOND},
		{"00:00", PROFILE_MOMENT_DAYTIME, 0},
		{"23:59:59.999999999", PROFILE_MOMENT_DAYTIME, 86400 * SECOND - 1},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		check(t, &samples[i]);
}

static void refuses_what_is_no_moment(struct test *t)
{
	static const char *const texts[] = {
		"", "+", "@", "-1", "+-1", "++1", " 1", "1 ", "1e3", "0x10", "1.2.3", ".", "1q",
		"1w", "1 s", "1S", "ms", "1mss",
		/* not whole nanoseconds, or too many */
		"0.5ns", "1.0001us", "0.0000000001", "18446744073.709551616", "18446744073709551616ns", "99999999999",
		"@18446744073.709551616", "@-1", "@1s", "@1.0000000001",
		"2554-07-21 23:34:33.709551616", "9999-12-31 00:00:00",
		/* no such day or hour */
		"2026-02-29 00:00:00", "2100-02-29 00:00:00", "2026-13-01 00:00:00",
		"2026-00-01 00:00:00", "2026-04-31 00:00:00", "2026-01-00 00:00:00",
		"1969-12-31 23:59:59", "2026-11-21 24:00:00", "2026-11-21 12:60:00",
		"2026-11-21 12:00:60", "24:00:00", "12:60", "12:00:60",
		/* another shape */
		"2026-11-21", "2026-11-21 ", "2026-11-2112:00:00", "2026-11-21  12:00:00",
		"2026-1-21 12:00:00", "26-11-21 12:00:00", "2026-11-21 12:00:3",
		"2026-11-21 12:00:003", "2026-11-21 12:00:03.0000000001", "2026-11-21 12:00:03 CET",
		"2026-11-21 12:00:03+01:00", "2026/11/21 12:00:00", "12:", "12:0", "1:00:00",
		"12:00:", "12:00:.5", "12:00:03 ", "12:00:03ZZ",
	};
	struct profile_moment moment = {.kind = PROFILE_MOMENT_NONE, .ns = 5};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		test_check(t, report_value_moment(texts[i], strlen(texts[i]), &moment) == -EINVAL,
			   "\"%s\" is taken", texts[i]);
	CHECK(t, moment.kind == PROFILE_MOMENT_NONE && moment.ns == 5);
}

static void heeds_the_length(struct test *t)
{
	struct profile_moment moment;
	char text[200];

	REQUIRE(t, !report_value_moment("1.5,20", 3, &moment));
	CHECK_INT(t, moment.ns, 1500000000);
	CHECK_INT(t, report_value_moment("1.5\0", 4, &moment), -EINVAL);
	memset(text, '0', sizeof(text));
	CHECK_INT(t, report_value_moment(text, sizeof(text), &moment), -EINVAL);
	CHECK(t, !report_value_moment(text, 40, &moment) && !moment.ns);
}

static void takes_moments_with_their_surroundings(struct test *t)
{
	static const char *const texts[] = {"+2.5s±50ms", "+2.5s+-50ms", "2.5~50ms", "2.5~0.05"};
	static const char *const refused[] = {"", "~5", "5~", "+-5", "5+-", "5±", "5~5~5", "5~-1",
					      "5~+1", "5+5", "5-5"};
	struct profile_moment moment;
	uint64_t around;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK(t, !report_value_moment_around(texts[i], &moment, &around));
		CHECK_INT(t, moment.kind, PROFILE_MOMENT_OFFSET);
		CHECK_INT(t, moment.ns, 2500000000);
		CHECK_INT(t, around, 50000000);
	}
	REQUIRE(t, !report_value_moment_around("2026-11-21 12:00:03.25", &moment, &around));
	CHECK_INT(t, moment.kind, PROFILE_MOMENT_WALL);
	CHECK_INT(t, around, 0);
	REQUIRE(t, !report_value_moment_around("2026-11-21 12:00:03+-1", &moment, &around));
	CHECK_INT(t, moment.ns, 1795262403 * SECOND);
	CHECK_INT(t, around, SECOND);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		test_check(t, report_value_moment_around(refused[i], &moment, &around) == -EINVAL,
			   "\"%s\" is taken", refused[i]);
}

TEST_MAIN(TEST(lists_what_is_named), TEST(refuses), TEST(keeps_hostile_filters_printable),
	  TEST(takes_offsets), TEST(takes_dates), TEST(takes_times_of_day),
	  TEST(refuses_what_is_no_moment), TEST(heeds_the_length),
	  TEST(takes_moments_with_their_surroundings))
