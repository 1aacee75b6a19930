/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a recording may take from the host: memory, added up at its start, and CPU time, measured while it runs. */
#include "record/session_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <sys/resource.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/flight/flight.h"
#include "record/helper/helpers.h"
#include "record/host/host.h"
#include "record/place/hits.h"
#include "record/place/module_table.h"
#include "record/place/sideband.h"
#include "record/plan/budget.h"
#include "record/probe/probe.h"
#include "record/session.h"
#include "record/source/held_stacks.h"
#include "record/source/unended_waits.h"
#include "record/source/walk_users.h"

/* --- --max-memory and --plan --- */

/* Bytes, as measured and rounded up; tests/live/test_memory_budget.sh compares the sum with what the kernel says. */
enum {
	MUCH_MEMORY = 256 << 20,    /* above which the plan is printed */
	PAGES = 3 * 4096,	    /* beside the data of a ring */
	PROGRAM = 10 << 20,	    /* this one and its libraries, also while they read the kernel's types */
	SYMBOLS = 10 << 20,	    /* of the kernel */
	ENCODERS = 14 << 20,	    /* with the chunks that they fill, and the index of the trace */
	SNAPSHOT_ENCODERS = 6 << 20,
	CGROUPS = 5 << 20,
	OBJECTS = 6 << 20,	    /* in the recorder and in the programs' tables */
	PROGRAM_TABLES = 512 << 10, /* of one source, beside scratch */
	LIVES = 256 << 10,
	ENTRY = 1024,		    /* of a thread's waits */
	HELPER = 1 << 20,
	LEAST_HELPER = 8 << 20,	    /* to read a file */
	MOST_HELPER = 1 << 30,	    /* what its jail allows in any case */
	HELPERS = HELPER_KINDS,	    /* the spawner, which opens perf events as well, and one of each other kind */
	DUMP = ENCODERS + (6 << 20), /* and the payload of a chunk */
	LEAST_RING = 512 << 10,
	LEAST_WINDOW = 8 << 20,
	CHANGED_PART = 4,	    /* of the window, while a dump is written */
};

/* Part of the budget. */
uint64_t session_helper_bytes(const struct record_config *config)
{
	const uint64_t part = (uint64_t)config->budget.memory / 16;

	if (!config->budget.memory)
		return 0;
	return part < LEAST_HELPER ? LEAST_HELPER : part > MOST_HELPER ? MOST_HELPER : part;
}

size_t session_ring_bytes(const struct record_config *config)
{
	size_t bytes = (size_t)1 << 20;

	while (bytes < (size_t)config->output.ring_megabytes << 20)
		bytes *= 2;
	return bytes;
}

/* Of threads that wait; more than these get none if there is a budget. */
uint32_t session_entries(const struct session *session)
{
	enum { AT_LEAST = 1024 };

	return 2 * session->recording.threads + AT_LEAST;
}

/* Groups of CPUs online that share a ring. */
static uint32_t count_shards(const struct session *session, const struct cpu_set *online)
{
	uint32_t last = UINT32_MAX, count = 0;

	for (uint32_t cpu = 0; cpu < session->cpus.possible; cpu++) {
		if (!cpu_set_has(online, cpu) || cpu / RING_CPUS_PER_SHARD == last)
			continue;
		last = cpu / RING_CPUS_PER_SHARD;
		count++;
	}
	return count;
}

/* Those that have programs of their own in the kernel; with rings: only those that write to them. */
static uint32_t sources(const struct session *session, bool rings)
{
	uint32_t count = 0;

	for EACH_SOURCE(source, session)
		count += source->ops->programs < PROBE_WRITERS || !rings;
	return count;
}

/* What the user gave stays. */
static uint64_t least_ring(const struct record_config *config)
{
	return config->output.ring_given ? session_ring_bytes(config) : LEAST_RING;
}

static uint64_t least_window(const struct record_config *config)
{
	return config->flight.bytes_given ? (uint64_t)config->flight.bytes : LEAST_WINDOW;
}

static void add_fixed(struct memory_plan *plan, const char *what, uint64_t count, uint64_t each)
{
	memory_plan_add(plan, &(struct memory_row){what, count, each, 0, 0, false});
}

static void add_table(struct memory_plan *plan, const char *what, bool wanted, uint64_t each)
{
	memory_plan_add(plan, &(struct memory_row){what, wanted, 0, each, 0, false});
}

/* Rings, and what else the kernel holds for the programs. */
static void add_kernel(struct memory_plan *plan, const struct session *session, const struct cpu_set *set)
{
	const struct record_config *config = session->config;
	const uint32_t online = cpu_set_count(set), possible = cpu_set_count(&session->cpus.all);
	const uint64_t slots = config->points.count ? RING_SLOTS : RING_NEST_LEVELS;
	const uint64_t scratch = slots * (RING_HEAD_ROOM + 2 * sizeof(uint64_t) * probe_max_frames());

	memory_plan_add(plan, &(struct memory_row){"rings for samples, waits and hits",
						   (uint64_t)count_shards(session, set) * sources(session, true), PAGES,
						   session_ring_bytes(config), least_ring(config), true});
	memory_plan_add(plan, &(struct memory_row){"rings for the kernel's records of processes", online, PAGES,
						   sideband_ring_size(online, 0), SIDEBAND_LEAST_RING, false});
	add_fixed(plan, "ring for control groups", !config->no_cgroups, RING_CGROUP_BYTES + PAGES);
	add_fixed(plan, "table of sleepers", session_wants_sleepers(config), (uint64_t)RING_MAX_SLEEPERS * 120);
	add_fixed(plan, "tables of BPF programs", sources(session, false), PROGRAM_TABLES + possible * scratch);
	add_fixed(plan, "scratch for stack memory", config->snapshots ? (uint64_t)sources(session, true) * online : 0,
		  slots * ((uint64_t)config->snapshot_bytes + 4096 + sizeof(struct ring_snapshot)));
	add_fixed(plan, "counts of forks and ends", config->user_stacks, LIVES + (uint64_t)possible * 1024);
	add_fixed(plan, "entries of threads", config->offcpu.wanted ? session_entries(session) : 0, ENTRY);
}

static void add_recorder(struct memory_plan *plan, const struct record_config *config)
{
	const bool waits = config->offcpu.wanted, flight = config->flight.wanted;
	const uint64_t window = (uint64_t)config->flight.bytes, least = least_window(config);

	add_fixed(plan, "program, libraries", 1, PROGRAM);
	add_fixed(plan, "symbols of the kernel", 1, SYMBOLS);
	add_fixed(plan, "encoders", 1, ENCODERS + (config->snapshots ? SNAPSHOT_ENCODERS : 0));
	add_table(plan, "files that are mapped", true, module_table_memory());
	add_table(plan, "mappings, addresses to name", config->user_stacks, hits_memory(flight));
	add_table(plan, "user stacks until their wait ends", config->user_stacks && waits, user_stacks_memory());
	add_table(plan, "stack memory until its wait ends", config->snapshots, snapshots_memory());
	add_table(plan, "walked threads that wait for stacks", session_wants_sleepers(config), walk_users_memory());
	add_fixed(plan, "control groups", !config->no_cgroups, CGROUPS);
	add_fixed(plan, "what waits were for", (waits || config->walk.wanted) && !config->no_objects, OBJECTS);
	memory_plan_add(plan, &(struct memory_row){"window of --flight", flight, 0, window, least, true});
	/* and what is changed of it while a child has it, too */
	memory_plan_add(plan, &(struct memory_row){"while a dump is written", flight, DUMP, window / CHANGED_PART,
						   least / CHANGED_PART, true});
	add_table(plan, "waits that go on, for a dump", flight && waits, open_waits_memory());
	add_fixed(plan, "helpers", HELPERS + (flight ? 3 : 0), HELPER);
	add_fixed(plan, "files that a helper reads", config->budget.memory != 0, session_helper_bytes(config));
}

uint64_t session_window_bytes(const struct session *session)
{
	return memory_plan_halved(&session->plan, (uint64_t)session->config->flight.bytes, least_window(session->config),
				  true);
}

int session_plan_memory(struct session *session)
{
	const struct record_config *config = session->config;
	char text[MEMORY_TEXT];
	struct cpu_set online;
	int r = cpus_online_all(&session->cpus, &online);

	if (r < 0)
		return r;
	session->plan = (struct memory_plan){.budget = (uint64_t)config->budget.memory};
	add_kernel(&session->plan, session, &online);
	add_recorder(&session->plan, config);
	r = memory_plan_fit(&session->plan, host_memory_free());
	session->ring_bytes = (size_t)memory_plan_halved(&session->plan, session_ring_bytes(config), least_ring(config), true);
	session->recording.halvings = session->plan.halvings;
	if (r >= 0 || config->budget.plan)
		return 0;
	memory_plan_refusal(&session->plan, text);
	return log_error(EINVAL, "%s", text);
}

/* Writes what is planned, before the first event; prints it if it is a lot. */
int session_write_memory(struct session *session)
{
	const double megabyte = 1 << 20;
	uint64_t rings = drain_ring_bytes(&session->drain), tables = probe_memory(session->probe);
	uint64_t records = sideband_ring_bytes(session->recording.sideband), all = rings + tables + records;
	const char *how = session->plan.halvings ? ", with smaller tables" : "";
	char text[256];

	if (session->plan.event_halvings)
		how = ", with smaller rings and tables";
	(void)snprintf(text, sizeof(text),
		       "%.1f MB: %.1f MB in rings (%u), %.1f MB in tables, "
		       "%.1f MB for records of processes; at most %.1f MB in all%s",
		       (double)all / megabyte, (double)rings / megabyte, session->drain.ring_count,
		       (double)tables / megabyte, (double)records / megabyte,
		       (double)memory_plan_sum(&session->plan) / megabyte, how);
	if (session->plan.free && session->plan.halvings)
		log_info("takes an eighth of the memory that is free at most (--max-memory allows more): %s", text);
	else if (all > MUCH_MEMORY)
		log_info("uses %s (--ringbuf-size sets the size of a ring)", text);
	return recording_check(&session->recording, event_log_add_meta(session->recording.log, "memory", text));
}

int session_print_plan(const struct record_config *config)
{
	_cleanup_free_ struct session *session = session_create(config);
	char text[MEMORY_TEXT];
	int r = session ? cpus_open(&session->cpus, config->who.cpus) : -ENOMEM;

	if (r >= 0) {
		session->recording.threads = session_threads(&session->cpus);
		r = session_plan_memory(session);
		cpus_close(&session->cpus);
	}
	if (r < 0)
		return SESSION_FAILED;
	memory_plan_print(&session->plan, stdout);
	if (session->plan.halvings)
		(void)printf("tables hold 1/%u of what they could\n", 1U << session->plan.halvings);
	if (!session->plan.budget || memory_plan_sum(&session->plan) <= session->plan.budget)
		return SESSION_OK;
	memory_plan_refusal(&session->plan, text);
	(void)log_error(EINVAL, "%s", text);
	return SESSION_USAGE;
}

/* --- --max-cpu: measures what was used, and records less or more --- */

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
	       (session->flight ? spawner_cpu_time(flight_spawner(session->flight)) : 0) + session->loss.run_ns;
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

void session_write_budget(struct session *session, uint64_t now)
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

void session_follow_budget(struct session *session, uint64_t now)
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
