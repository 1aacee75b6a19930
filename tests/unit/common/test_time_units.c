/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/time_units.h"

#include "tests/test.h"

static void takes_numbers_and_units(struct test *t)
{
	static const struct {
		const char *text;
		uint64_t unit, ns;
	} good[] = {
		{"5", SECOND, 5 * SECOND},	      {"0", SECOND, 0},
		{"0.5", SECOND, SECOND / 2},	      {".5", SECOND, SECOND / 2},
		{"5.", SECOND, 5 * SECOND},	      {"1000", MICROSECOND, MILLISECOND},
		{"0.001", MICROSECOND, 1},	      {"10s", MICROSECOND, 10 * SECOND},
		{"500ms", SECOND, SECOND / 2},	      {"2.5ms", SECOND, 2500000},
		{"50us", SECOND, 50000},	      {"50µs", SECOND, 50000},
		{"7ns", SECOND, 7},		      {"2m", SECOND, 120 * SECOND},
		{"1.5min", SECOND, 90 * SECOND},      {"1h", SECOND, 3600 * SECOND},
		{"1d", SECOND, 86400 * SECOND},	      {"0.000000001", SECOND, 1},
		{"18446744073709551615ns", SECOND, UINT64_MAX},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t ns = 99;

		test_check(t, duration_parse(good[i].text, good[i].unit, &ns) == 0 && ns == good[i].ns,
			   "'%s' is %llu", good[i].text, (unsigned long long)ns);
	}
}

static void refuses_the_rest(struct test *t)
{
	static const char *const bad[] = {
		"", ".", "s", "5x", "5 s", " 5", "+5", "-5", "1e3", "0x5", "5,5", "5S", "5ss", "1.2.3", "0.5ns",
		"0.0000000001", "18446744073709551616ns", "18446744074s", "99999999999999999999", "5m5s", "ms5",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t ns = 99;

		test_check(t, duration_parse(bad[i], SECOND, &ns) < 0 && ns == 99, "'%s' is %llu", bad[i],
			   (unsigned long long)ns);
	}
}

TEST_MAIN(TEST(takes_numbers_and_units), TEST(refuses_the_rest))
