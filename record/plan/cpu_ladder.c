/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/cpu_ladder.h"

#include <assert.h>
#include <linux/types.h>

#include "bpf/ring_regime.h"
#include "common/time_units.h"
#include "format/event_flight.h"

static_assert((int)RING_LACKS_WAKER_STACKS == REGIME_NO_WAKER_STACKS && (int)RING_LACKS_WAKERS == REGIME_NO_WAKERS &&
		      (int)RING_LACKS_SNAPSHOTS == REGIME_NO_SNAPSHOTS &&
		      (int)RING_LACKS_USER_STACKS == REGIME_NO_USER_STACKS &&
		      (int)RING_LACKS_HITS == REGIME_NO_HITS && (int)RING_LACKS_WAITS == REGIME_NO_WAITS &&
		      (int)RING_LACKS_SAMPLES == REGIME_NO_SAMPLES &&
		      (int)RING_LACKS_KERNEL_STACKS == REGIME_NO_KERNEL_STACKS &&
		      (int)RING_LACKS_EARLY_STACKS == REGIME_NO_EARLY_STACKS,
	      "what programs leave out is what the format says");

static const uint64_t OVER = 3 * SECOND, STILL_OVER = SECOND, CALM = 60 * SECOND;
static const uint64_t FIRST_LEAST = MILLISECOND, MOST_LEAST = 16 * MILLISECOND;
enum { LEAST_FACTOR = 4, RATE_HALVINGS = 2, LEAST_RATE = 10, MOST_PATIENCE = 8 };

static void add_step(struct cpu_ladder *ladder, const struct cpu_regime *regime)
{
	if (ladder->count < CPU_LADDER_STEPS)
		ladder->regimes[ladder->count++] = *regime;
}

static void add_lack(struct cpu_ladder *ladder, struct cpu_regime *regime, bool wanted, uint64_t lack)
{
	if (!wanted || (regime->lacks & lack) == lack)
		return;
	regime->lacks |= lack;
	add_step(ladder, regime);
}

static void raise_least(struct cpu_ladder *ladder, struct cpu_regime *regime)
{
	while (regime->least < MOST_LEAST) {
		regime->least = regime->least * LEAST_FACTOR < FIRST_LEAST ? FIRST_LEAST : regime->least * LEAST_FACTOR;
		if (regime->least > MOST_LEAST)
			regime->least = MOST_LEAST;
		add_step(ladder, regime);
	}
}

static void lower_rate(struct cpu_ladder *ladder, struct cpu_regime *regime)
{
	for (int i = 0; i < RATE_HALVINGS && regime->frequency >= 2 * LEAST_RATE; i++) {
		regime->frequency /= 2;
		add_step(ladder, regime);
	}
}

static uint64_t all_of(const struct record_config *config)
{
	return (config->profile.wanted ? REGIME_NO_SAMPLES : 0) | (config->offcpu.wanted ? REGIME_NO_WAITS : 0) |
	       (config->points.count ? REGIME_NO_HITS : 0);
}

/* With --realtime-safe, only data of a fixed size is copied under the scheduler's locks. */
static uint64_t always_lacks(const struct record_config *config)
{
	uint64_t lacks = 0;

	if (!config->budget.realtime_safe)
		return 0;
	if (config->offcpu.wanted)
		lacks |= REGIME_NO_KERNEL_STACKS;
	if (config->offcpu.wakers)
		lacks |= REGIME_NO_WAKER_STACKS;
	return lacks | (config->user_stacks ? REGIME_NO_EARLY_STACKS : 0);
}

void cpu_ladder_init(struct cpu_ladder *ladder, const struct record_config *config, uint64_t frequency)
{
	struct cpu_regime regime = {
		.least = config->offcpu.wanted ? (uint64_t)config->offcpu.least : 0,
		.lacks = always_lacks(config),
		.frequency = config->profile.wanted ? frequency : 0,
	};

	*ladder = (struct cpu_ladder){
		.budget = (uint64_t)config->budget.cpu, .over = OVER, .calm = CALM, .patience = 1};
	if (config->budget.calm)
		ladder->calm = (uint64_t)config->budget.calm;
	add_step(ladder, &regime);
	if (config->offcpu.wanted)
		raise_least(ladder, &regime);
	add_lack(ladder, &regime, config->offcpu.wakers, REGIME_NO_WAKER_STACKS);
	add_lack(ladder, &regime, config->offcpu.wakers, REGIME_NO_WAKERS);
	add_lack(ladder, &regime, config->snapshots, REGIME_NO_SNAPSHOTS);
	add_lack(ladder, &regime, config->user_stacks, REGIME_NO_USER_STACKS);
	lower_rate(ladder, &regime);
	if (regime.frequency && all_of(config) != REGIME_NO_SAMPLES)
		add_lack(ladder, &regime, true, all_of(config) & ~(uint64_t)REGIME_NO_SAMPLES);
	regime.frequency = 0;
	add_lack(ladder, &regime, all_of(config), all_of(config));
}

static uint64_t begin_or_keep(bool holds, uint64_t before, uint64_t since)
{
	return !holds ? 0 : before ? before : since;
}

static bool is_over(const struct cpu_ladder *ladder, uint64_t now, uint64_t used)
{
	const bool soon = ladder->moved && now - ladder->moved <= ladder->over && used > 2 * ladder->budget;

	return ladder->over_since && now - ladder->over_since >= (soon ? STILL_OVER : ladder->over);
}

static bool is_calm(const struct cpu_ladder *ladder, uint64_t now)
{
	const uint64_t needed = ladder->calm * (ladder->rose ? 1 : ladder->patience);

	return ladder->calm_since && now - ladder->calm_since >= needed;
}

/* A step up that does not hold was a try that cost something: the next one waits twice as long. */
static void step_down(struct cpu_ladder *ladder, uint64_t now)
{
	const bool failed = now - ladder->moved < ladder->calm;

	if (ladder->rose && !failed)
		ladder->patience = 1;
	else if (ladder->rose && ladder->patience < MOST_PATIENCE)
		ladder->patience *= 2;
	ladder->rose = false;
	ladder->step++;
}

static void step_up(struct cpu_ladder *ladder)
{
	if (ladder->rose)
		ladder->patience = 1;
	ladder->rose = true;
	ladder->step--;
}

bool cpu_ladder_judge(struct cpu_ladder *ladder, uint64_t since, uint64_t now, uint64_t used)
{
	const uint32_t before = ladder->step;

	if (!ladder->budget)
		return false;
	ladder->over_since = begin_or_keep(used > ladder->budget, ladder->over_since, since);
	ladder->calm_since = begin_or_keep(used < ladder->budget / 2, ladder->calm_since, since);
	if (is_over(ladder, now, used) && ladder->step + 1 < ladder->count)
		step_down(ladder, now);
	else if (is_calm(ladder, now) && ladder->step)
		step_up(ladder);
	if (ladder->step == before)
		return false;
	ladder->over_since = ladder->calm_since = 0;
	ladder->moved = now;
	return true;
}
