/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/session_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/log.h"
#include "format/event_log.h"
#include "format/trace_writer.h"
#include "record/clocks.h"
#include "record/hits.h"
#include "record/host.h"
#include "record/kernel_chains.h"
#include "record/kernel_map.h"
#include "record/module_files.h"
#include "record/module_table.h"
#include "record/nursery.h"
#include "record/privileges.h"
#include "record/probe.h"
#include "record/probe_points.h"
#include "record/ring_stacks.h"
#include "record/sched_clock.h"
#include "record/sideband.h"
#include "record/start_state.h"
#include "record/walk_users.h"

enum {
	START_STATE_MS = 300, /* the rest is told while the recording runs */
	RECORDER_NICE = -10,
};
#define FREE_FLOOR (UINT64_C(64) << 20) /* bytes that stay free on the file system */

static int open_signals(struct session *session)
{
	sigset_t set;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	session->recording.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return session->recording.signal_fd < 0 ? -errno : 0;
}

static int open_host(struct session *session)
{
	const struct record_config *config = session->config;
	int r = privileges_check();

	if (r >= 0)
		r = cpus_open(&session->cpus, config->who.cpus);
	if (r >= 0)
		r = filter_init(&session->filter, &config->who, config->command && !config->who.system_wide);
	session->recording.max_cpus = session->cpus.possible;
	return r;
}

static bool to_stdout(const struct record_config *config)
{
	return config->output.path && !strcmp(config->output.path, "-");
}

static int open_helpers(struct session *session)
{
	int r = nursery_create(&session->nursery);

	if (r < 0 || !session->config->command)
		return r;
	r = command_start(&session->command, session->config->command, to_stdout(session->config));
	session->commands = r >= 0;
	return r;
}

static int open_log(struct session *session)
{
	const struct record_output *output = &session->config->output;
	struct recording *recording = &session->recording;
	const struct trace_writer_settings settings = {
		.max_size = (uint64_t)output->max_size,
		.free_floor = FREE_FLOOR,
		.end_reserve = loss_most_bytes(recording),
	};
	int r = output_file_open(&session->output, output->path, output->force);

	if (r < 0)
		return r;
	r = trace_writer_create(&trace_io_system, session->output.fd, &settings, &recording->writer);
	if (r >= 0)
		r = event_log_create(recording->writer, recording->max_cpus, &recording->log);
	if (r < 0)
		return log_error(-r, "cannot write to \"%s\": %s", session->output.path, strerror(-r));
	recording->io = &trace_io_system;
	recording->start = clocks_now();
	return 0;
}

static int open_modules(struct session *session)
{
	struct recording *recording = &session->recording;
	int r = module_table_create(recording, &recording->modules);

	if (r >= 0)
		r = hits_create(module_table_special(recording->modules, MODULE_ANONYMOUS),
				session->config->output.embed != EMBED_LEVEL_NONE, &recording->hits);
	if (r >= 0)
		r = module_files_create(session->nursery, recording->modules, &session->files);
	return r;
}

static enum ring_wait_clock clock_for(const struct record_offcpu *offcpu)
{
	if (!sched_clock_is_steady())
		return RING_CLOCK_EXACT;
	return offcpu->least_us || offcpu->wakers ? RING_CLOCK_SHIFTED : RING_CLOCK_QUEUE;
}

static struct ring_wait_knobs wait_knobs(const struct record_config *config)
{
	const struct record_offcpu *offcpu = &config->offcpu;

	return (struct ring_wait_knobs){
		.least = (uint64_t)offcpu->least_us * 1000,
		.most = offcpu->most_us ? (uint64_t)offcpu->most_us * 1000 : UINT64_MAX,
		.states = offcpu->states,
		.wakers = offcpu->wakers,
		.user_stacks = config->user_stacks,
		.source = SOURCE_ID_OFFCPU,
		.wakers_source = SOURCE_ID_WAKERS,
		.clock = clock_for(offcpu),
	};
}

static void show_progress(void *context, size_t done, size_t total)
{
	status_attaching(context, done, total);
}

static int open_points(struct session *session)
{
	status_init(&session->status);
	return points_resolve(&session->config->points, &session->points);
}

/* Somebody looks at all tasks, and asks for the user stacks of those that sleep. */
static bool wants_sleepers(const struct record_config *config)
{
	return config->user_stacks && (config->walk.wanted || config->offcpu.wanted);
}

static int open_programs(struct session *session)
{
	const struct record_config *config = session->config;
	const struct ring_wait_knobs waits = wait_knobs(config);
	const struct probe_points_settings points = {
		.points = &session->points,
		.first_source = SOURCE_ID_POINTS,
		.rate_limit = (uint64_t)config->points.rate_limit,
		.progress = show_progress,
		.context = &session->status,
	};
	struct probe_settings settings = {
		.cpus = &session->cpus,
		.filter = &session->filter,
		.cpu = config->profile.wanted,
		.tasks = config->walk.wanted,
		.sleepers = wants_sleepers(config),
		.sleeper_bytes = (uint32_t)config->snapshot_bytes & ~7U,
		.waits = config->offcpu.wanted ? &waits : NULL,
		.points = config->points.count ? &points : NULL,
		.user_stacks = config->user_stacks,
		.follow = config->command && !config->who.system_wide,
		.cpu_source = SOURCE_ID_CPU,
		.max_frames = probe_max_frames(),
		.snapshot_bytes = config->snapshots ? (uint32_t)config->snapshot_bytes & ~7U : 0,
		.ring_bytes = session->ring_bytes,
	};
	int r = probe_create(&settings, &session->probe);

	status_clear(&session->status);
	if (r < 0)
		return r;
	return probe_set_own(session->probe, nursery_pid(session->nursery), &session->recording.own_tgid);
}

static int sink_module(void *context, const struct event_module *module)
{
	struct recording *recording = context;
	struct event event = {.kind = EVENT_MODULE, .module = *module};

	return recording_check(recording, event_log_add(recording->log, &event));
}

static int sink_symbol(void *context, const struct event_kernel_symbol *symbol)
{
	struct recording *recording = context;
	struct event event = {.kind = EVENT_KERNEL_SYMBOL, .kernel_symbol = *symbol};

	return recording_check(recording, event_log_add(recording->log, &event));
}

static uint32_t sink_new_module_id(void *context)
{
	return module_table_new_id(((struct recording *)context)->modules);
}

/* The sideband comes before the looks at what is there, so that nothing falls between. */
static int open_state(struct session *session)
{
	struct recording *recording = &session->recording;
	const struct kernel_map_sink sink = {recording, sink_module, sink_symbol, sink_new_module_id};
	int r = sideband_create(recording, session->files, &recording->sideband);

	if (r >= 0)
		r = kernel_map_create(&sink, session->config->output.keep_kernel_addresses, &recording->kernel_map);
	if (r >= 0)
		r = kernel_chains_create(recording->kernel_map, &recording->kernel_chains);
	if (r >= 0 && session->config->user_stacks)
		r = start_state_create(recording, session->nursery, &session->start_state);
	return r;
}

static int open_cpu_source(struct session *session)
{
	const struct record_profile *profile = &session->config->profile;
	const struct perf_event_settings settings = {.frequency = (uint64_t)profile->frequency, .software = profile->software};

	return perf_events_open(&session->events, &session->cpus, &settings, probe_cpu_program(session->probe));
}

static int watch(struct session *session, int fd, uint32_t how)
{
	struct epoll_event event = {.events = EPOLLIN | how, .data.fd = fd};

	return epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int open_drain(struct session *session)
{
	int r = drain_open(&session->drain, &session->recording, session->probe, &session->filter, session->ring_bytes);

	if (r < 0)
		return r;
	session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (session->epoll_fd < 0)
		return -errno;
	r = watch(session, session->recording.signal_fd, 0);
	for (uint32_t i = 0; !r && i < probe_rings(session->probe); i++)
		r = watch(session, probe_ring_fd(session->probe, i), EPOLLET); /* woken, not: something is in it */
	return r;
}

static int open_waits(struct session *session)
{
	int r;

	session->waits = (struct waits){
		.recording = &session->recording,
		.probe = session->probe,
		.filter = &session->filter,
		.snapshots = session->drain.snapshots,
		.unended = {.recording = &session->recording, .users = session->users, .source = SOURCE_ID_OFFCPU},
	};
	r = waits_init(&session->waits);
	session->drain.waits = &session->waits;
	return r < 0 ? r : waits_open(&session->waits);
}

static int open_point_events(struct session *session)
{
	session->point_events = (struct point_events){
		.recording = &session->recording,
		.probe = session->probe,
		.filter = &session->filter,
		.points = &session->points,
		.snapshots = session->drain.snapshots,
		.first_source = SOURCE_ID_POINTS,
	};
	session->drain.points = &session->point_events;
	return point_events_init(&session->point_events);
}

static int open_sources(struct session *session)
{
	struct recording *recording = &session->recording;
	int r = session->config->profile.wanted ? open_cpu_source(session) : 0;

	if (r < 0)
		return r;
	r = open_drain(session);
	if (r >= 0 && session->config->snapshots) {
		r = snapshots_init(&session->snapshots, recording, &session->filter);
		session->drain.snapshots = &session->snapshots;
	}
	if (r >= 0 && wants_sleepers(session->config))
		r = walk_users_create(recording, session->probe, session->nursery, &session->users);
	if (r >= 0 && session->config->offcpu.wanted)
		r = open_waits(session);
	if (r >= 0 && session->config->points.count)
		r = open_point_events(session);
	if (r < 0)
		return r;
	session->drain.period = session->events.period;
	session->walk = (struct walk){
		.recording = recording,
		.probe = session->probe,
		.filter = &session->filter,
		.source = SOURCE_ID_TASKS,
		.users = session->users,
	};
	session->loss = (struct loss){
		.recording = recording,
		.probe = session->probe,
		.events = session->config->profile.wanted ? &session->events : NULL,
		.drain = &session->drain,
		.files = session->files,
		.waits = session->config->offcpu.wanted ? &session->waits : NULL,
		.points = session->config->points.count ? &session->point_events : NULL,
		.cpu_source = SOURCE_ID_CPU,
		.waits_source = SOURCE_ID_OFFCPU,
		.wakers_source = SOURCE_ID_WAKERS,
	};
	r = walk_init(&session->walk);
	return r < 0 ? r : loss_init(&session->loss);
}

static int open_command(struct session *session)
{
	int r = session->commands ? probe_follow(session->probe, session->command.pid) : 0;

	if (r < 0)
		return log_error(-r, "cannot follow the command: %s", strerror(-r));
	if (session->start_state)
		(void)start_state_step(session->start_state, START_STATE_MS);
	/* Helpers and the command were forked before. A recorder that waits for a CPU loses events when they matter most. */
	(void)setpriority(PRIO_PROCESS, 0, RECORDER_NICE);
	return privileges_drop();
}

void session_tell_clock(struct session *session)
{
	struct recording *recording = &session->recording;
	struct event event = {.kind = EVENT_CLOCK};

	clocks_read(&event.clock);
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static struct event_source cpu_source(const struct session *session)
{
	static const struct event_text cycles = {"cycles", 6}, cpu_clock = {"cpu-clock", 9};
	const struct perf_events *events = &session->events;
	struct event_source source = {
		.id = SOURCE_ID_CPU,
		.kind = SOURCE_CPU,
		.weight = events->software ? WEIGHT_NS : WEIGHT_CYCLES,
		.name = events->software ? cpu_clock : cycles,
		.frequency = events->frequency,
		.period = events->period,
		.start = session->cpu_span.start,
		.stop = session->cpu_span.stop ? session->cpu_span.stop : session->cpu_span.start,
	};

	source.flags |= ring_stacks_source_flags(session->config);
	if (events->fallback)
		source.flags |= SOURCE_SOFTWARE_FALLBACK;
	return source;
}

static struct event_source waits_source(const struct session *session, uint32_t id)
{
	static const struct event_text waits = {"sched_switch", 12}, wakers = {"sched_waking", 12};
	const struct session_span *span = &session->waits_span;

	return (struct event_source){
		.id = id,
		.kind = id == SOURCE_ID_WAKERS ? SOURCE_WAKERS : SOURCE_OFFCPU,
		.weight = WEIGHT_NS,
		.name = id == SOURCE_ID_WAKERS ? wakers : waits,
		.start = span->start,
		.stop = span->stop ? span->stop : span->start,
		.flags = ring_stacks_source_flags(session->config),
		.least = (uint64_t)session->config->offcpu.least_us * 1000,
		.most = (uint64_t)session->config->offcpu.most_us * 1000,
	};
}

static struct event_source tasks_source(const struct session *session, uint64_t stop)
{
	return (struct event_source){
		.id = SOURCE_ID_TASKS,
		.kind = SOURCE_TASKS,
		.weight = WEIGHT_COUNT,
		.name = {"tasks", 5},
		.start = session->recording.start,
		.stop = stop ? stop : session->recording.start,
		.flags = ring_stacks_source_flags(session->config),
	};
}

static void tell_source(struct session *session, struct event_source source)
{
	struct event event = {.kind = EVENT_SOURCE, .source = source};

	(void)recording_check(&session->recording, event_log_add(session->recording.log, &event));
}

void session_tell_sources(struct session *session)
{
	const struct record_config *config = session->config;

	if (config->profile.wanted)
		tell_source(session, cpu_source(session));
	if (config->offcpu.wanted)
		tell_source(session, waits_source(session, SOURCE_ID_OFFCPU));
	if (config->offcpu.wakers)
		tell_source(session, waits_source(session, SOURCE_ID_WAKERS));
	if (config->points.count)
		point_events_tell_sources(&session->point_events);
	if (config->walk.wanted)
		tell_source(session, tasks_source(session, session->walks_stop));
}

static int tell_start(struct session *session)
{
	struct recording *recording = &session->recording;

	(void)host_describe(recording);
	session_tell_clock(session);
	return recording->error;
}

typedef int step(struct session *session);

int session_open(struct session *session)
{
	static step *const steps[] = {
		open_host, open_helpers, open_signals, open_points, open_log, open_modules,
		open_programs, open_state, open_sources, tell_start, open_command,
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int r = steps[i](session);

		if (r < 0)
			return r;
	}
	return 0;
}

void session_close(struct session *session)
{
	struct recording *recording = &session->recording;

	loss_deinit(&session->loss);
	walk_deinit(&session->walk);
	waits_deinit(&session->waits);
	walk_users_destroy(session->users);
	point_events_deinit(&session->point_events);
	snapshots_deinit(&session->snapshots);
	if (session->epoll_fd >= 0)
		(void)close(session->epoll_fd);
	drain_close(&session->drain);
	perf_events_close(&session->events);
	start_state_destroy(session->start_state);
	kernel_chains_destroy(recording->kernel_chains);
	kernel_map_destroy(recording->kernel_map);
	sideband_destroy(recording->sideband);
	probe_destroy(session->probe);
	points_deinit(&session->points);
	module_files_destroy(session->files);
	hits_destroy(recording->hits);
	module_table_destroy(recording->modules);
	event_log_destroy(recording->log);
	trace_writer_destroy(recording->writer);
	output_file_close(&session->output);
	if (recording->signal_fd >= 0)
		(void)close(recording->signal_fd);
	nursery_destroy(session->nursery);
	filter_deinit(&session->filter);
	cpus_close(&session->cpus);
}
