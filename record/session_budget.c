/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --max-cpu within a recording: measures what it has used, and records less or more. */
#include "record/session_budget.h"

#include <linux/types.h>
#include <sys/resource.h>

#include "bpf/ring.h"
#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/flight/flight.h"
#include "record/helper/helpers.h"
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

/* Of this process, its helpers, and the main BPF programs. A command that has ended is a child, too. */
static uint64_t spent_so_far(const struct session *session)
{
	uint64_t children = session->commands ? 0 : usage_of(RUSAGE_CHILDREN);

	return usage_of(RUSAGE_SELF) + children + spawner_cpu_time(session->spawner) +
	       (session->flight ? flight_helpers_time(session->flight) : 0) + session->loss.run_ns;
}

bool session_samples(const struct session *session)
{
	return session->budget.cpu.step != BUDGET_PAUSED;
}

static uint64_t least_of(const struct session *session)
{
	return cpu_budget_least(&session->budget.cpu, (uint64_t)session->config->offcpu.least);
}

static uint64_t frequency_of(const struct session *session)
{
	return cpu_budget_frequency(&session->budget.cpu, session->samples.events.frequency);
}

static int set_programs(const struct session *session)
{
	const struct perf_events *events = &session->samples.events;
	const uint64_t frequency = frequency_of(session);
	const bool changed = events->software && frequency && frequency != events->frequency;
	const struct ring_budget wanted = {.paused = session->budget.cpu.step == BUDGET_PAUSED,
					   .least = least_of(session), .since = session->budget.resumed,
					   .period = changed ? SECOND / frequency : 0};

	return probe_set_budget(session->probe, &wanted);
}

int session_open_budget(struct session *session)
{
	const struct record_budget *asked = &session->config->budget;

	cpu_budget_init(&session->budget.cpu, (uint64_t)asked->cpu, (uint64_t)asked->calm);
	return asked->cpu ? set_programs(session) : 0;
}

static void tell(struct session *session)
{
	struct recording *recording = &session->recording;
	const struct event event = {.kind = EVENT_BUDGET, .budget = session->budget.told};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

void session_tell_budget(struct session *session, uint64_t now)
{
	session->budget.told.time = now;
	if (session->budget.told.step)
		tell(session);
}

static void say(const struct event_budget *told)
{
	static const char *const words[] = {"records everything again", "records less from now on", "pauses"};

	log_info("used %.2f%% of one CPU, --max-cpu is %.9g: %s", (double)told->used / 100,
		 (double)told->budget / 100, words[told->step]);
}

static void take_step(struct session *session, uint64_t now, uint64_t used)
{
	const struct cpu_budget *budget = &session->budget.cpu;

	if (set_programs(session) < 0)
		session->recording.stop = RECORDING_FAILED;
	/* During a pause, CPUs that come online are not followed; the events of the others stay, and go on afterwards. */
	if (session->samples.running)
		perf_events_set_frequency(&session->samples.events, frequency_of(session));
	session->budget.told = (struct event_budget){
		.time = now, .step = budget->step, .used = used, .budget = budget->budget,
		.least = session->config->offcpu.wanted ? least_of(session) : 0,
		.frequency = session->config->profile.wanted ? frequency_of(session) : 0,
	};
	tell(session);
	say(&session->budget.told);
}

void session_keep_budget(struct session *session, uint64_t now)
{
	struct session_budget *budget = &session->budget;
	const uint64_t since = budget->looked, before = budget->spent;
	const bool paused = !session_samples(session);
	uint64_t used;

	if (!session->config->budget.cpu)
		return;
	budget->looked = now;
	budget->spent = spent_so_far(session);
	if (!since || now <= since) /* what the start has used is not counted */
		return;
	used = budget->spent > before ? (budget->spent - before) * 10000 / (now - since) : 0;
	if (!cpu_budget_update(&budget->cpu, since, now, used))
		return;
	if (paused)
		budget->resumed = now;
	take_step(session, now, used);
}
