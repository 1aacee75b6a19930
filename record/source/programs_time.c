/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/programs_time.h"

#include "record/source/loss.h"

/*
 * Time of all programs that run for one event: one that is only counted, and one that is processed.
 * Means of six recordings of a storm of waits, each of which was between a half and twice as much:
 * the caches decide.
 */
enum { PASSED_NS = 300, TAKEN_NS = 2000 };

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static uint64_t estimate(const struct programs_time *programs, const struct loss *loss)
{
	const uint64_t seen = since(loss->seen, programs->seen), passed = since(loss->passed, programs->passed);

	return passed * PASSED_NS + since(seen, passed) * TAKEN_NS;
}

void programs_time_look(struct programs_time *programs, const struct loss *loss)
{
	const uint64_t counted = since(loss->run_ns, programs->run_ns), estimated = estimate(programs, loss);

	/* The count may cover only a part of the time, at the first look after counting was switched on. */
	programs->total += programs->counted && counted ? counted : counted > estimated ? counted : estimated;
	programs->counted = counted;
	programs->run_ns = loss->run_ns;
	programs->seen = loss->seen;
	programs->passed = loss->passed;
}
