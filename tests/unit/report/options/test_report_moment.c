/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Moments and lengths of time as people write them. Seconds since 1970 are date(1)'s: date -u -d TEXT +%s. */
#include "report/options/report_moment.h"

#include "common/time_units.h"
#include "tests/test.h"

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

TEST_MAIN(TEST(takes_offsets), TEST(takes_dates), TEST(takes_times_of_day),
	  TEST(refuses_what_is_no_moment), TEST(heeds_the_length),
	  TEST(takes_moments_with_their_surroundings))
