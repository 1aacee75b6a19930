/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --max-cpu within a recording: measures what it has used, and does what a step of the ladder requires. */
#include "record/session_budget.h"

#include <inttypes.h>
#include <linux/types.h>
#include <sys/resource.h>

#include "bpf/ring_regime.h"
#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/flight/flight.h"
#include "record/helper/nursery.h"
#include "record/probe/probe.h"
#include "record/session_internal.h"

static uint64_t nanoseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_usec * MICROSECOND;
}

static uint64_t usage_of(int who)
{
	struct rusage usage;

	return getrusage(who, &usage) < 0 ? 0 : nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
}

/* A command that has ended is a child, too. */
static uint64_t spent_so_far(struct session *session)
{
	uint64_t children = session->commands ? 0 : usage_of(RUSAGE_CHILDREN);

	programs_time_look(&session->budget.programs, &session->loss);
	return usage_of(RUSAGE_SELF) + children + nursery_cpu_time(session->nursery) +
	       (session->flight ? flight_helpers_time(session->flight) : 0) + session->budget.programs.total;
}

bool session_samples(const struct session *session)
{
	return !(cpu_ladder_regime(&session->budget.ladder)->lacks & REGIME_NO_SAMPLES);
}

static int set_programs(struct session *session)
{
	const struct cpu_regime *regime = cpu_ladder_regime(&session->budget.ladder);
	const struct ring_regime wanted = {regime->lacks, regime->least, session->budget.resumed};

	return probe_set_regime(session->probe, &wanted);
}

/* --realtime-safe counts as the first step. */
static uint32_t step_of(const struct cpu_ladder *ladder)
{
	return ladder->step || !cpu_ladder_regime(ladder)->lacks ? ladder->step : 1;
}

static void tell(struct session *session, enum regime_reason reason, uint64_t now, uint64_t used)
{
	const struct cpu_ladder *ladder = &session->budget.ladder;
	const struct cpu_regime *regime = cpu_ladder_regime(ladder);
	struct recording *recording = &session->recording;
	struct event event = {
		.kind = EVENT_REGIME,
		.regime = {.time = now, .step = step_of(ladder), .reason = reason,
			   .lacks = regime->lacks, .least = regime->least, .frequency = regime->frequency,
			   .used = used, .budget = ladder->budget},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static bool is_wanted(const struct record_config *config)
{
	return config->budget.cpu || config->budget.realtime_safe;
}

int session_open_budget(struct session *session)
{
	struct session_budget *budget = &session->budget;
	int r;

	cpu_ladder_init(&budget->ladder, session->config, session->events.frequency);
	if (!is_wanted(session->config))
		return 0;
	r = set_programs(session);
	if (session->config->budget.realtime_safe)
		tell(session, REGIME_ASKED, session->recording.start, 0);
	return r < 0 ? r : session->recording.error;
}

/* During a pause, CPUs that come online are not followed; the events of the others stay, and go on afterwards. */
static void set_sampling(struct session *session, const struct cpu_regime *before)
{
	const struct cpu_regime *regime = cpu_ladder_regime(&session->budget.ladder);

	if (session->sampling && regime->frequency != before->frequency)
		perf_events_set_frequency(&session->events, regime->frequency);
}

static void say(const struct session *session, uint32_t before, uint64_t used)
{
	const struct cpu_ladder *ladder = &session->budget.ladder;

	log_info("used %.2f%% of one CPU, --max-cpu is %.9g: records %s from now on (step %" PRIu32 " of %" PRIu32 ")",
		 (double)used / 100, (double)ladder->budget / 100, ladder->step > before ? "less" : "more",
		 ladder->step, ladder->count - 1);
}

static void take_step(struct session *session, uint32_t step, uint64_t now, uint64_t used)
{
	struct session_budget *budget = &session->budget;
	const struct cpu_regime *before = &budget->ladder.regimes[step], *regime = cpu_ladder_regime(&budget->ladder);

	if (before->lacks & ~regime->lacks & REGIME_NO_WAITS)
		budget->resumed = now;
	if (set_programs(session) < 0)
		session->recording.stop = RECORDING_FAILED;
	set_sampling(session, before);
	tell(session, budget->ladder.step > step ? REGIME_OVER : REGIME_CALM, now, used);
	say(session, step, used);
}

void session_keep_budget(struct session *session, uint64_t now)
{
	struct session_budget *budget = &session->budget;
	const uint64_t since = budget->looked, before = budget->spent;
	const uint32_t step = budget->ladder.step;
	uint64_t used;

	if (!session->config->budget.cpu)
		return;
	budget->looked = now;
	budget->spent = spent_so_far(session);
	if (!since || now <= since) /* what the start has used is not judged */
		return;
	used = budget->spent > before ? (budget->spent - before) * 10000 / (now - since) : 0;
	if (cpu_ladder_judge(&budget->ladder, since, now, used))
		take_step(session, step, now, used);
}
