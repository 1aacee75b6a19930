/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The reporter's command line: what it means, what it refuses; moments as people write them; and how much memory there is. */
#include "report/report_options.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/options/options.h"
#include "common/time_units.h"
#include "report/profile/figures.h"
#include "report/report_limits.h"
#include "report/view/moment_parse.h"
#include "tests/test.h"

enum { MOST_WORDS = 40 };

/* The options point into the copy of the line, which stays until the next one. */
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
		"-c a -c b t", "--on ( t", "--on a --source cpu t", "--pid 1, t", "--pid 99999999999 t", "-P 5-2 t",
		"-P 9000 t", "--state  t", "-w -1 t", "-w 1e3 t", "--time 5,1 t", "-U -K t", "--min-percent 0.00001 t",
		"--max-groups 0 t", "--top-waits=-1 t", "--waits-on= t", "--by comm --info t", "--at 5~x t", "--at 5 --at 6 t",
		"--diff --base b --tree t", "--wakers --folded --tree t", "--chains=( t", "--time 12:00:61, t",
		"--events --export perf-script t", "-i 1e9 -f t", "--resolve-lines t", "--info -o x t", "--scrub -o x t u",
		"--scrub -o x -c a t", "--scrub --condense -o x t", "--scrub --keep ( -o x t", "--condense t",
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
	int r = moment_parse(sample->text, strlen(sample->text), &moment);

	test_check(t, !r && moment.kind == sample->kind && moment.ns == sample->ns,
		   "\"%s\" is %d, kind %d, %llu ns, not %llu",
		   sample->text, r, (int)moment.kind, (unsigned long long)moment.ns, (unsigned long long)sample->ns);
}

static void takes_moments(struct test *t)
{
	static const struct sample samples[] = {
		{"+2.5s", PROFILE_MOMENT_OFFSET, 2500000000},
		{"0", PROFILE_MOMENT_OFFSET, 0},
		{"+0.000001ms", PROFILE_MOMENT_OFFSET, 1},
		{"1.500us", PROFILE_MOMENT_OFFSET, 1500},
		{"7ns", PROFILE_MOMENT_OFFSET, 7},
		{".5", PROFILE_MOMENT_OFFSET, 500000000},
		{"3.", PROFILE_MOMENT_OFFSET, 3 * SECOND},
		{"18446744073.709551615", PROFILE_MOMENT_OFFSET, UINT64_MAX},
		{"2026-11-21T12:00:03.25Z", PROFILE_MOMENT_WALL, 1795262403 * SECOND + 250000000},
		{"2026-11-21 12:00:03.250123 UTC", PROFILE_MOMENT_WALL, 1795262403 * SECOND + 250123000},
		{"2026-11-21 12:00", PROFILE_MOMENT_WALL, 1795262400 * SECOND},
		{"2024-02-29 23:59:59", PROFILE_MOMENT_WALL, 1709251199 * SECOND},
		{"1970-01-01 00:00:00.000000001", PROFILE_MOMENT_WALL, 1},
		{"2100-03-01 00:00:00", PROFILE_MOMENT_WALL, 4107542400 * SECOND},
		{"2554-07-21 23:34:33.709551615", PROFILE_MOMENT_WALL, UINT64_MAX},
		{"@1732190400.5", PROFILE_MOMENT_WALL, 1732190400 * SECOND + 500000000},
		{"12:00:03.25", PROFILE_MOMENT_DAYTIME, 43203 * SECOND + 250000000},
		{"23:59:59.999999999", PROFILE_MOMENT_DAYTIME, 86400 * SECOND - 1},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		check(t, &samples[i]);
}

static void refuses_what_is_no_moment(struct test *t)
{
	static const char *const texts[] = {
		"", "+", "@", "-1", "+-1", " 1", "1 ", "1e3", "0x10", "1.2.3", ".", "1q", "ms",
		/* not whole nanoseconds, or too many */
		"0.5ns", "18446744073.709551616", "18446744073709551616ns", "@18446744073.709551616", "@1s",
		"2554-07-21 23:34:33.709551616", "9999-12-31 00:00:00",
		/* no such day or hour */
		"2100-02-29 00:00:00", "2026-13-01 00:00:00", "2026-04-31 00:00:00", "2026-01-00 00:00:00",
		"1969-12-31 23:59:59", "2026-11-21 24:00:00", "2026-11-21 12:60:00", "12:00:60",
		/* another shape */
		"2026-11-21", "2026-11-2112:00:00", "2026-1-21 12:00:00", "2026-11-21 12:00:003",
		"2026-11-21 12:00:03 CET", "2026-11-21 12:00:03+01:00", "12:", "1:00:00", "12:00:.5", "12:00:03ZZ",
	};
	struct profile_moment moment = {.kind = PROFILE_MOMENT_NONE, .ns = 5};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		test_check(t, moment_parse(texts[i], strlen(texts[i]), &moment) == -EINVAL,
			   "\"%s\" is taken", texts[i]);
	CHECK(t, moment.kind == PROFILE_MOMENT_NONE && moment.ns == 5);
}

static void heeds_the_length(struct test *t)
{
	struct profile_moment moment;
	char text[200];

	REQUIRE(t, !moment_parse("1.5,20", 3, &moment));
	CHECK_INT(t, moment.ns, 1500000000);
	CHECK_INT(t, moment_parse("1.5\0", 4, &moment), -EINVAL);
	memset(text, '0', sizeof(text));
	CHECK_INT(t, moment_parse(text, sizeof(text), &moment), -EINVAL);
	CHECK(t, !moment_parse(text, 40, &moment) && !moment.ns);
}

static void takes_moments_with_their_surroundings(struct test *t)
{
	static const char *const texts[] = {"+2.5s±50ms", "+2.5s+-50ms", "2.5~50ms", "2.5~0.05"};
	static const char *const refused[] = {"", "~5", "5~", "+-5", "5+-", "5±", "5~5~5", "5~-1",
					      "5~+1", "5+5", "5-5"};
	struct profile_moment moment;
	uint64_t around;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK(t, !moment_parse_around(texts[i], &moment, &around));
		CHECK_INT(t, moment.kind, PROFILE_MOMENT_OFFSET);
		CHECK_INT(t, moment.ns, 2500000000);
		CHECK_INT(t, around, 50000000);
	}
	REQUIRE(t, !moment_parse_around("2026-11-21 12:00:03.25", &moment, &around));
	CHECK_INT(t, moment.kind, PROFILE_MOMENT_WALL);
	CHECK_INT(t, around, 0);
	REQUIRE(t, !moment_parse_around("2026-11-21 12:00:03+-1", &moment, &around));
	CHECK_INT(t, moment.ns, 1795262403 * SECOND);
	CHECK_INT(t, around, SECOND);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		test_check(t, moment_parse_around(refused[i], &moment, &around) == -EINVAL,
			   "\"%s\" is taken", refused[i]);
}

/* --- memory --- */

enum { MB = 1 << 20 };

struct made_file {
	const char *path, *text;
};

struct machine {
	const char *name;
	struct made_file files[6];
	uint64_t memory;
};

#define MEMINFO_4G {"proc/meminfo", "MemFree: 9 kB\nMemTotal:        4194304 kB\nMemAvailable: 7 kB\n"}

static const struct machine machines[] = {
	{"nothing is known", {{0}}, UINT64_MAX},
	{"no groups", {MEMINFO_4G}, 4096ull * MB},
	{"v2",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/a/b\n"}, {"groups/a/b/memory.max", "536870912\n"}},
	 512ull * MB},
	{"v2, no limit",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/a/b\n"}, {"groups/a/b/memory.max", "max\n"}},
	 4096ull * MB},
	{"v2, the one above has less",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/a/b\n"}, {"groups/a/b/memory.max", "536870912\n"},
	  {"groups/a/memory.max", "268435456\n"}},
	 256ull * MB},
	{"v2, seen from within",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/\n"}, {"groups/memory.max", "134217728\n"}},
	 128ull * MB},
	{"v1",
	 {MEMINFO_4G, {"proc/self/cgroup", "9:cpu:/x\n4:memory:/a\n0::/\n"},
	  {"groups/memory/a/memory.limit_in_bytes", "1048576\n"}},
	 1 * MB},
	{"v1, the path is that of outside",
	 {MEMINFO_4G, {"proc/self/cgroup", "4:memory:/docker/0123\n"},
	  {"groups/memory/memory.limit_in_bytes", "2097152\n"}},
	 2 * MB},
	{"v1, another's limit",
	 {MEMINFO_4G, {"proc/self/cgroup", "4:cpu,memory_x:/a\n0::/:memory:/a\n"},
	  {"groups/memory/a/memory.limit_in_bytes", "1048576\n"}},
	 4096ull * MB},
	{"beside v1",
	 {MEMINFO_4G, {"proc/self/cgroup", "0::/a\n"}, {"groups/unified/a/memory.max", "3145728\n"}},
	 3 * MB},
	{"more than the machine has",
	 {MEMINFO_4G, {"proc/self/cgroup", "4:memory:/\n"},
	  {"groups/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
	 4096ull * MB},
};

static void write_file(const char *top, const struct made_file *file)
{
	char path[256];
	FILE *stream;

	(void)snprintf(path, sizeof(path), "%s/%s", top, file->path);
	for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		(void)mkdir(path, 0700);
	}
	stream = fopen(path, "we");
	if (!stream || fputs(file->text, stream) < 0 || fclose(stream))
		abort();
}

static uint64_t memory_of(const struct machine *machine)
{
	char top[] = "/tmp/rwalker-test-XXXXXX", proc[64], groups[64], command[64];
	uint64_t memory;

	if (!mkdtemp(top))
		abort();
	for (const struct made_file *file = machine->files; file->path; file++)
		write_file(top, file);
	(void)snprintf(proc, sizeof(proc), "%s/proc", top);
	(void)snprintf(groups, sizeof(groups), "%s/groups", top);
	memory = host_memory(proc, groups);
	(void)snprintf(command, sizeof(command), "rm -r %s", top);
	if (system(command))
		abort();
	return memory;
}

static void knows_what_there_is(struct test *t)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const uint64_t memory = memory_of(&machines[i]);

		test_check(t, memory == machines[i].memory, "%s: %llu bytes, not %llu", machines[i].name,
			   (unsigned long long)memory, (unsigned long long)machines[i].memory);
	}
}

TEST_MAIN(TEST(lists_what_is_named), TEST(refuses), TEST(keeps_hostile_filters_printable),
	  TEST(takes_moments), TEST(refuses_what_is_no_moment), TEST(heeds_the_length),
	  TEST(takes_moments_with_their_surroundings), TEST(knows_what_there_is))
