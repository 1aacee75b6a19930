/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/time_units.h"
#include "tests/unit/report/view/fake_view.h"

/*
 * --diff: two made-up profiles against text written by hand. before: 10 s, parse 400 ms and sum 400 ms, both evenly;
 * after: 20 s, parse 3200 ms evenly, sum 1600 ms of which 1200 ms are in the second half, and 2 samples of a new
 * function. The noise of parse is chance: three times the root of the sum of (40 / 20)^2 and (160 / 40)^2, which is
 * 13.4. That of sum is what the halves of the second trace differ by: (1200 - 400) / 10 s; it changed by 40, and is not
 * shown.
 */

static void add(struct profile *p, uint32_t source, const char *chain, uint64_t samples, uint64_t weight, bool late)
{
	struct profile_entry *entry;

	fake_entry(p, source, "app", 1, chain, samples);
	entry = &p->entries[p->entry_count - 1];
	entry->weight = weight * MILLISECOND;
	entry->flags = late ? CHAIN_LATE : 0;
	p->sources[source].weight += entry->weight - samples;
}

static struct profile *make(uint64_t seconds)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "ns");

	p->sources[cpu].recorded = p->sources[cpu].duration = seconds * SECOND;
	return p;
}

static const char expected[] =
	"# change: after, less before, per second of recording (of all CPUs together; of several traces, on average). "
	"noise: what the two halves of one trace differ by, or chance makes of so few, if that is more. What changed "
	"by no more than its noise is counted, not shown.\n"
	"# before\n"
	"# cpu cpu-clock: 800 samples, 800.0 ms in 10.00 s, kernel and user stacks\n"
	"# after\n"
	"# cpu cpu-clock: 1602 samples, 4802.0 ms in 20.00 s, kernel and user stacks\n"
	"#    before      after     change      noise  in all, per second of recording\n"
	"      80.00     240.10    +160.10      80.20  ms\n"
	"\n"
	"# functions by themselves (self), ms per second\n"
	"#    before      after     change      noise  function\n"
	"      40.00     160.00    +120.00      13.42  parse\n"
	"# functions that did not change by more than their noise: 2\n"
	"\n"
	"# functions with all that they called (total), ms per second\n"
	"#    before      after     change      noise  function\n"
	"      40.00     160.00    +120.00      13.42  parse\n"
	"      80.00     240.10    +160.10      80.20  main\n"
	"# functions that did not change by more than their noise: 2\n"
	"\n"
	"# notes on the trace before:\n"
	"# notes on the trace after:\n";

static void compares(struct test *t)
{
	const struct view_settings settings = {.filters = "", .min_share = 2500};
	struct profile *before = make(10), *after = make(20);
	char *text;

	add(before, 0, "main@app;parse@app", 200, 200, false);
	add(before, 0, "main@app;parse@app", 200, 200, true);
	add(before, 0, "main@app;sum@app", 200, 200, false);
	add(before, 0, "main@app;sum@app", 200, 200, true);
	add(after, 0, "main@app;parse@app", 800, 1600, false);
	add(after, 0, "main@app;parse@app", 800, 1600, true);
	add(after, 0, "main@app;sum@app", 0, 400, false);
	add(after, 0, "main@app;sum@app", 0, 1200, true);
	add(after, 0, "main@app;fresh@app", 2, 2, true);
	after->base = before;
	text = fake_print(after, &views[VIEW_DIFF], &settings);
	CHECK_STR(t, text, expected);
	free(text);
	free(before);
	free(after);
}

TEST_MAIN(TEST(compares))
