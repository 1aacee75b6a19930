/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which rates are in step with timers: counted, as the phases of a timer's period that samples at
 * that rate ever hit.
 */
#include "record/plan/sample_rate.h"

#include "tests/test.h"

enum { SECOND_US = 1000000, SLICES = 200 };

/*
 * How many of the SLICES of a timer's period are hit by a second of samples, and the share of them
 * in the fullest one.
 */
static unsigned int slices_met(uint64_t rate, uint64_t timer_us, double *ret_fullest)
{
	unsigned int counts[SLICES] = {0}, met = 0, most = 0;

	for (uint64_t i = 0; i < rate; i++) {
		uint64_t at_ns = i * 1000 * SECOND_US / rate;

		counts[at_ns % (timer_us * 1000) * SLICES / (timer_us * 1000)]++;
	}
	for (unsigned int i = 0; i < SLICES; i++) {
		met += counts[i] > 0;
		most = counts[i] > most ? counts[i] : most;
	}
	*ret_fullest = (double)most / (double)rate;
	return met;
}

static void defaults_meet_every_phase(struct test *t)
{
	static const uint64_t timers_us[] = {1000, 2000, 2500, 4000, 5000, 10000, 20000, 25000, 50000, 100000};
	static const uint64_t rates[] = {SAMPLE_RATE, SAMPLE_RATE_DWARF};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		for (size_t j = 0; j < sizeof(timers_us) / sizeof(timers_us[0]); j++) {
			double fullest;
			unsigned int met = slices_met(rates[i], timers_us[j], &fullest);

			test_check(t, met == SLICES, "%llu Hz, a timer of %llu us: %u of %d phases",
				   (unsigned long long)rates[i], (unsigned long long)timers_us[j],
				   met, SLICES);
			test_check(t, fullest < 2.0 / SLICES,
				   "%llu Hz, a timer of %llu us: %f in one",
				   (unsigned long long)rates[i], (unsigned long long)timers_us[j],
				   fullest);
			CHECK(t, !sample_rate_in_step(rates[i]));
		}
}

static void what_is_in_step(struct test *t)
{
	static const uint64_t steps[] = {1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100,
					 125, 200, 250, 300, 500, 1000, 2000, 2500, 4000, 20000};
	static const uint64_t others[] = {3, 7, 9, 49, 99, 101, 199, 249, 251, 498, 999, 1001, 1999, 3999, 4001, 19999};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		test_check(t, sample_rate_in_step(steps[i]), "%llu is in step", (unsigned long long)steps[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		test_check(t, !sample_rate_in_step(others[i]), "%llu is not", (unsigned long long)others[i]);
	CHECK(t, !sample_rate_in_step(0));
}

TEST_MAIN(TEST(defaults_meet_every_phase), TEST(what_is_in_step))
