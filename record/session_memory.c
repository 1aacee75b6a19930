/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --max-memory and --plan: what each part of a recording may take on this host, and how large it is made. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <linux/types.h>

#include "bpf/ring_cgroup.h"
#include "bpf/ring_sleeper.h"
#include "bpf/ring_snapshot.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/machine/host.h"
#include "record/place/hits.h"
#include "record/place/module_table.h"
#include "record/place/sideband.h"
#include "record/plan/memory_plan.h"
#include "record/probe/probe.h"
#include "record/session.h"
#include "record/session_internal.h"
#include "record/source/open_waits.h"
#include "record/source/walk_users.h"
#include "record/stack/user_stacks.h"

/* Bytes, as measured and rounded up; tests/live/test_budget.sh compares the sum with what the kernel says. */
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
	HELPERS = 8,		    /* the nursery, and one of each kind */
	DUMP = ENCODERS + (6 << 20), /* and the payload of a chunk */
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

struct host {
	uint32_t online, possible, shards; /* CPUs; groups of CPUs online that share a ring */
};

static int look_at_host(const struct session *session, struct host *ret_host)
{
	struct cpu_set online;
	uint32_t last = UINT32_MAX;
	int r = cpus_online_all(&session->cpus, &online);

	if (r < 0)
		return r;
	*ret_host = (struct host){.online = cpu_set_count(&online), .possible = cpu_set_count(&session->cpus.all)};
	for (uint32_t cpu = 0; cpu < session->cpus.possible; cpu++) {
		if (!cpu_set_has(&online, cpu) || cpu / RING_CPUS_PER_SHARD == last)
			continue;
		last = cpu / RING_CPUS_PER_SHARD;
		ret_host->shards++;
	}
	return 0;
}

static void add_fixed(struct memory_plan *plan, const char *what, uint64_t count, uint64_t each)
{
	memory_plan_add(plan, &(struct memory_row){.what = what, .kind = MEMORY_FIXED, .count = count, .each = each});
}

static void add_table(struct memory_plan *plan, const char *what, bool wanted, uint64_t each)
{
	memory_plan_add(plan, &(struct memory_row){what, MEMORY_TABLES, wanted, each, 0});
}

static uint32_t sources(const struct record_config *config)
{
	return (uint32_t)config->profile.wanted + config->offcpu.wanted + (config->points.count != 0);
}

static void add_rings(struct memory_plan *plan, const struct record_config *config, const struct host *host)
{
	memory_plan_add(plan, &(struct memory_row){"rings for samples, waits and hits", MEMORY_RINGS,
						   (uint64_t)host->shards * sources(config), PAGES, 0});
	memory_plan_add(plan, &(struct memory_row){"rings for the kernel's records of processes", MEMORY_TABLES,
						   host->online, sideband_ring_size(host->online, 0) + PAGES,
						   SIDEBAND_LEAST_RING + PAGES});
	add_fixed(plan, "ring for control groups", !config->no_cgroups, RING_CGROUP_BYTES + PAGES);
	add_fixed(plan, "table of sleepers", session_wants_sleepers(config), (uint64_t)RING_MAX_SLEEPERS * 120);
}

/* What the kernel holds for the programs, beside rings. */
static void add_programs(struct memory_plan *plan, const struct session *session, const struct host *host)
{
	const struct record_config *config = session->config;
	const uint64_t slots = config->points.count ? RING_SLOTS : RING_NEST_LEVELS;
	const uint64_t scratch = slots * (RING_HEAD_ROOM + 2 * sizeof(uint64_t) * probe_max_frames());
	const uint64_t snapshot = slots * ((uint64_t)config->snapshot_bytes + 4096 + sizeof(struct ring_snapshot));

	add_fixed(plan, "tables of BPF programs", sources(config) + config->walk.wanted,
		  PROGRAM_TABLES + host->possible * scratch);
	add_fixed(plan, "scratch for stack memory", config->snapshots ? (uint64_t)sources(config) * host->online : 0,
		  snapshot);
	add_fixed(plan, "counts of forks and ends", config->user_stacks, LIVES + (uint64_t)host->possible * 1024);
	add_fixed(plan, "entries of threads", config->offcpu.wanted ? session_entries(session) : 0, ENTRY);
}

static void add_tables(struct memory_plan *plan, const struct record_config *config)
{
	add_table(plan, "files that are mapped", true, module_table_memory());
	add_table(plan, "mappings, addresses to name", config->user_stacks, hits_memory(config->flight.wanted));
	add_table(plan, "user stacks until their wait ends", config->user_stacks && config->offcpu.wanted,
		  user_stacks_memory());
	add_table(plan, "stack memory until its wait ends", config->snapshots, snapshots_memory());
	add_table(plan, "walked threads that wait for stacks", session_wants_sleepers(config), walk_users_memory());
	add_fixed(plan, "control groups", !config->no_cgroups, CGROUPS);
	add_fixed(plan, "what waits were for", (config->offcpu.wanted || config->walk.wanted) && !config->no_objects,
		  OBJECTS);
}

static void add_flight(struct memory_plan *plan, const struct record_config *config)
{
	if (!config->flight.wanted)
		return;
	memory_plan_add(plan, &(struct memory_row){"window of --flight", MEMORY_WINDOW, 1,
						   0, 0});
	add_table(plan, "waits that go on, for a dump", config->offcpu.wanted, open_waits_memory());
	memory_plan_add(plan, &(struct memory_row){"while a dump is written", MEMORY_CHANGED, 1, DUMP, 0});
}

static void plan_parts(struct session *session, const struct host *host)
{
	const struct record_config *config = session->config;
	struct memory_plan *plan = &session->plan;

	add_fixed(plan, "program, libraries", 1, PROGRAM);
	add_fixed(plan, "symbols of the kernel", 1, SYMBOLS);
	add_fixed(plan, "encoders", 1, ENCODERS + (config->snapshots ? SNAPSHOT_ENCODERS : 0));
	add_rings(plan, config, host);
	add_programs(plan, session, host);
	add_tables(plan, config);
	add_flight(plan, config);
	add_fixed(plan, "helpers", HELPERS + (config->flight.wanted ? 3 : 0), HELPER);
	add_fixed(plan, "files that a helper reads", config->budget.memory != 0, session_helper_bytes(config));
}

int session_plan_memory(struct session *session)
{
	const struct record_config *config = session->config;
	char text[MEMORY_TEXT];
	struct host host;
	int r = look_at_host(session, &host);

	if (r < 0)
		return r;
	session->plan = (struct memory_plan){
		.budget = (uint64_t)config->budget.memory,
		.asked = {.ring = session->ring_bytes, .window = (uint64_t)config->flight.bytes},
		.ring_given = config->output.ring_given,
		.window_given = config->flight.bytes_given,
	};
	memory_plan_spare(&session->plan, host_memory_free());
	plan_parts(session, &host);
	r = memory_plan_fit(&session->plan, &session->sizes);
	session->ring_bytes = session->sizes.ring;
	session->recording.halvings = session->sizes.halvings;
	if (r >= 0)
		return 0;
	memory_plan_refusal(&session->plan, &session->sizes, text);
	return config->budget.plan ? 0 : log_error(EINVAL, "%s", text);
}

static bool is_smaller(const struct session *session)
{
	const struct memory_sizes *asked = &session->plan.asked, *sizes = &session->sizes;

	return sizes->halvings || sizes->ring < asked->ring || sizes->window < asked->window;
}

/* Writes what is planned, before the first event; prints it if it is a lot. */
int session_tell_memory(struct session *session)
{
	const double megabyte = 1 << 20;
	uint64_t rings = drain_ring_bytes(&session->drain), tables = probe_memory(session->probe);
	uint64_t records = sideband_ring_bytes(session->recording.sideband), all = rings + tables + records;
	char text[256];

	(void)snprintf(text, sizeof(text),
		       "%.1f MB: %.1f MB in rings (%u), %.1f MB in tables, "
		       "%.1f MB for records of processes; at most %.1f MB in all%s",
		       (double)all / megabyte, (double)rings / megabyte, session->drain.ring_count,
		       (double)tables / megabyte, (double)records / megabyte,
		       (double)memory_plan_sum(&session->plan, &session->sizes) / megabyte,
		       session->sizes.halvings ? ", with smaller tables" : "");
	if (session->plan.free && is_smaller(session))
		log_info("takes an eighth of the memory that is free at most (--max-memory allows more): %s", text);
	else if (all > MUCH_MEMORY)
		log_info("uses %s (--ringbuf-size sets the size of a ring)", text);
	return recording_check(&session->recording, event_log_add_meta(session->recording.log, "memory", text));
}

static void print_limits(const struct session *session, FILE *out)
{
	const struct record_config *config = session->config;

	if (session->sizes.halvings)
		(void)fprintf(out, "tables hold 1/%u of what they could\n", 1U << session->sizes.halvings);
	if (config->flight.wanted)
		(void)fprintf(out, "the window holds %.9g s, in at most %.1f MB\n",
			      (double)config->flight.window / (double)SECOND,
			      (double)session->sizes.window / (double)(1 << 20));
	if (config->profile.wanted)
		(void)fprintf(out, "samples: %" PRId64 " Hz on each CPU\n", config->profile.frequency);
	if (config->offcpu.wanted)
		(void)fprintf(out, "waits: recorded from %.9g us on\n",
			      (double)config->offcpu.least / (double)MICROSECOND);
	if (config->points.rate_limit)
		(void)fprintf(out, "hits: %" PRId64 " per second and CPU of each\n", config->points.rate_limit);
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
	memory_plan_print(&session->plan, &session->sizes, stdout);
	print_limits(session, stdout);
	if (!session->plan.budget || memory_plan_sum(&session->plan, &session->sizes) <= session->plan.budget)
		return SESSION_OK;
	memory_plan_refusal(&session->plan, &session->sizes, text);
	(void)log_error(EINVAL, "%s", text);
	return SESSION_USAGE;
}
