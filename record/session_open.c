/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "format/event_log.h"
#include "format/trace_writer.h"
#include "record/flight/flight.h"
#include "record/helper/confinement.h"
#include "record/helper/helpers.h"
#include "record/host/clocks.h"
#include "record/host/host.h"
#include "record/host/requirements.h"
#include "record/host/service.h"
#include "record/place/cgroups.h"
#include "record/place/hits.h"
#include "record/place/kernel_map.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/place/sideband.h"
#include "record/place/start_state.h"
#include "record/plan/deadlines.h"
#include "record/probe/probe.h"
#include "record/probe/sched_clock.h"
#include "record/session_internal.h"
#include "record/source/wait_objects.h"
#include "record/source/walk_users.h"

enum { FREE_FLOOR = 64 << 20 /* bytes that stay free on the file system */ };

/*
 * Called first of all, so that it holds for the helpers, too: signals that other programs take as a
 * request, such as to rotate a log, must not end a recording.
 */
static int ignore_signals(struct session *session)
{
	static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2}; /* inherited_restore() knows them */

	(void)session;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	return 0;
}

static int open_namespaces(struct session *session)
{
	int r;

	if (!namespaces_pid_is_hosts())
		return log_error(ENOTSUP, "this container has its own pid namespace, where processes have other "
					  "numbers: " NAMESPACES_PID_REMEDY);
	r = namespaces_enter_time(&session->own_time);
	return r < 0 ? log_error(-r, "this container has its own time namespace: " NAMESPACES_TIME_REMEDY) : 0;
}

static int open_status(struct session *session)
{
	status_init(&session->status);
	return 0;
}

static int open_signals(struct session *session)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGCHLD);
	if (session->config->flight.wanted) {
		(void)sigaddset(&set, SIGUSR2);
		(void)signal(SIGUSR2, SIG_DFL); /* an ignored signal is not delivered to a signalfd either */
	}
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	session->recording.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return session->recording.signal_fd < 0 ? -errno : 0;
}

/* As many as there are now, but at least what a busy host of this size has. */
uint32_t session_threads(const struct cpus *cpus)
{
	enum { PER_CPU = 64 };
	struct cpu_set online;
	uint32_t now = host_threads(), busy = cpus_online_all(cpus, &online) < 0 ? 0 : cpu_set_count(&online) * PER_CPU;

	return now > busy ? now : busy;
}

static int check_present(struct session *session)
{
	const struct record_config *config = session->config;
	bool spans = config->profile.wanted || config->offcpu.wanted || config->points.count;
	int r = present_check_ids(&config->who);

	if (config->profile.wanted)
		present_check_time(config->profile.lasts);
	if (r < 0 || config->command)
		return r;
	return present_check_comm(&config->who, &session->filter.regex, !spans && !config->walk.interval);
}

static int open_host(struct session *session)
{
	const struct record_config *config = session->config;
	int r = privileges_check() ?: cpus_open(&session->cpus, config->who.cpus) ?:
		filter_init(&session->filter, &config->who, config->command && !config->who.system_wide) ?:
		check_present(session);

	if (r < 0)
		return r;
	session->recording.max_cpus = session->cpus.possible;
	session->recording.threads = session_threads(&session->cpus);
	return session_plan_memory(session);
}

static bool to_stdout(const struct record_config *config)
{
	return config->output.path && !strcmp(config->output.path, "-");
}

/* A helper reads the names of containers, by which --container may choose. */
static int open_helpers(struct session *session)
{
	int r = helpers_start(session_helper_bytes(session->config), &session->spawner) ?:
		cgroup_choice_make(&session->config->who, &session->filter.cgroups);

	if (r < 0 || !session->config->command)
		return r;
	r = command_start(&session->command, session->config->command,
			  &(struct command_settings){.inherited = session->config->inherited,
						     .stdout_taken = to_stdout(session->config),
						     .own_time = session->own_time});
	session->commands = r >= 0;
	return r;
}

static int open_log(struct session *session)
{
	const struct record_output *output = &session->config->output;
	struct recording *recording = &session->recording;
	const char *stream = session->config->flight.stream;
	struct trace_writer_settings settings = {
		.max_size = session->flight ? 0 : (uint64_t)output->max_size,
		.free_floor = FREE_FLOOR,
		.end_reserve = loss_most_bytes(recording),
	};
	const bool to_file = !session->flight || stream;
	int r = to_file ? output_file_open(&session->output, stream ? stream : output->path, output->force) : 0;

	if (r < 0)
		return r;
	if (session->flight)
		settings.tap = flight_tap(session->flight);
	r = trace_writer_create(to_file ? &trace_io_system : &flight_no_file, session->output.fd, &settings,
				&recording->writer) ?:
	    event_log_create(recording->writer, recording->max_cpus, &recording->log);
	if (r < 0)
		return log_error(-r, "cannot write to '%s': %s", session->output.path, strerror(-r));
	recording->io = &trace_io_system;
	recording->start = clocks_now();
	return 0;
}

static int open_modules(struct session *session)
{
	const bool names = session->config->output.embed != EMBED_LEVEL_NONE;
	struct recording *recording = &session->recording;

	return module_table_create(recording, &recording->modules) ?:
	       hits_create(module_table_special(recording->modules, MODULE_ANONYMOUS), names, recording->halvings,
			   &recording->hits) ?:
	       module_files_create(session->spawner, recording->modules, false, &session->files);
}

static enum ring_wait_clock clock_for(const struct record_offcpu *offcpu)
{
	if (!sched_clock_is_steady())
		return RING_CLOCK_EXACT;
	return offcpu->least || offcpu->wakers ? RING_CLOCK_SHIFTED : RING_CLOCK_QUEUE;
}

static struct ring_wait_knobs wait_knobs(const struct session *session)
{
	const struct record_config *config = session->config;
	const struct record_offcpu *offcpu = &config->offcpu;

	return (struct ring_wait_knobs){
		.least = (uint64_t)offcpu->least,
		.most = offcpu->most ? (uint64_t)offcpu->most : UINT64_MAX,
		.states = offcpu->states,
		.wakers = offcpu->wakers,
		.user_stacks = config->user_stacks,
		.source = SOURCE_ID_OFFCPU,
		.wakers_source = SOURCE_ID_WAKERS,
		.clock = offcpu->wanted ? clock_for(offcpu) : RING_CLOCK_EXACT,
		.most_entries = config->budget.memory ? session_entries(session) : 0,
	};
}

static void show_progress(void *context, size_t done, size_t total)
{
	status_attaching(context, done, total);
}

static int open_points(struct session *session)
{
	return points_resolve(&session->config->points, &session->points);
}

bool session_wants_sleepers(const struct record_config *config)
{
	return config->user_stacks && (config->walk.wanted || config->offcpu.wanted);
}

static int open_programs(struct session *session)
{
	const struct record_config *config = session->config;
	const struct ring_wait_knobs waits = wait_knobs(session);
	const struct probe_points_settings points = {
		.points = &session->points, .first_source = SOURCE_ID_POINTS,
		.rate_limit = (uint64_t)config->points.rate_limit,
		.progress = show_progress, .context = &session->status,
	};
	struct probe_settings settings = {
		.cpus = &session->cpus,
		.filter = &session->filter,
		.wants = {[PROBE_SLEEPERS] = session_wants_sleepers(config), [PROBE_LIVES] = config->user_stacks,
			  [PROBE_CGROUPS] = !config->no_cgroups},
		.waits = &waits,
		.points = &points,
		.objects = !config->no_objects,
		.user_stacks = config->user_stacks,
		.follow = config->command && !config->who.system_wide,
		.cpu_source = SOURCE_ID_CPU,
		.max_frames = probe_max_frames(),
		.snapshot_bytes = config->snapshots ? (uint32_t)config->snapshot_bytes & ~7U : 0,
		.ring_bytes = session->ring_bytes,
		.budget = config->budget.cpu,
	};
	int r;

	for EACH_SOURCE(source, session)
		settings.wants[source->ops->programs] = true;
	r = probe_create(&settings, &session->probe);
	status_clear(&session->status);
	if (r < 0)
		return r;
	return probe_set_own(session->probe, spawner_pid(session->spawner),
			     session->flight ? spawner_pid(flight_spawner(session->flight)) : 0,
			     &session->recording.own_tgid);
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

static uint32_t sink_new_id(void *context)
{
	return module_table_new_id(((struct recording *)context)->modules);
}

static void sink_old_id(void *context, uint32_t id)
{
	module_table_give_back(((struct recording *)context)->modules, id);
}

/* The sideband opens before we look at what exists, so that nothing is missed in between. */
static int open_state(struct session *session)
{
	struct recording *recording = &session->recording;
	const struct kernel_map_sink sink = {recording, sink_module, sink_symbol, sink_new_id, sink_old_id};
	struct cpu_set online;
	int r = cpus_online_all(&session->cpus, &online) ?:
		sideband_create(recording, session->files, &online, &recording->sideband);

	if (r < 0)
		return r;
	sideband_follow_shares(recording->sideband, probe_shares(session->probe));
	r = kernel_map_create(&sink, session->config->output.keep_kernel_addresses, &recording->kernel_map);
	if (r < 0)
		return r;
	probe_set_functions(session->probe, kernel_map_table(recording->kernel_map));
	r = kernel_chains_create(recording->kernel_map, &recording->kernel_chains);
	if (r < 0 || !session->config->user_stacks)
		return r;
	return start_state_create(recording, session->spawner, 0, &session->start_state);
}

static int open_command(struct session *session)
{
	int r = session->commands ? probe_follow(session->probe, session->command.pid) : 0;

	if (r < 0)
		return log_error(-r, "cannot follow the command: %s", strerror(-r));
	if (session->start_state)
		(void)start_state_step(session->start_state, START_STATE_FIRST);
	if (session->cgroups)
		(void)cgroups_step(session->cgroups, CGROUPS_FIRST);
	/*
	 * The command was forked before. A recorder that waits for a CPU, or for its own program to
	 * be read, loses events when they matter most.
	 */
	(void)setpriority(PRIO_PROCESS, 0, RECORDER_NICE);
	(void)resident_keep();
	return privileges_drop() ?: confinement_enter(session->config->flight.wanted, &session->confinement);
}

void session_write_clock(struct session *session)
{
	struct recording *recording = &session->recording;
	struct event event = {.kind = EVENT_CLOCK};

	clocks_read(&event.clock);
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static int write_start(struct session *session)
{
	struct recording *recording = &session->recording;

	(void)host_describe(recording);
	(void)session_write_memory(session);
	if (session->flight)
		session_begin_segment(session);
	else
		session_write_clock(session);
	return recording->error;
}

/* --- what delivers events, and what takes them from the rings into the log --- */

static int watch(struct session *session, int fd, uint32_t how)
{
	struct epoll_event event = {.events = EPOLLIN | how, .data.fd = fd};

	return epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int watch_rings(struct session *session, uint32_t first)
{
	int r = 0;

	for (uint32_t i = first; !r && i < probe_rings(session->probe); i++)
		r = watch(session, probe_ring_fd(session->probe, i), EPOLLET); /* edge-triggered: not empty now */
	return r;
}

void session_follow_cpus(struct session *session)
{
	uint32_t rings = probe_rings(session->probe);
	struct cpu_set online;

	if (cpus_online_all(&session->cpus, &online) < 0 || !probe_follow_cpus(session->probe, &online))
		return;
	if (drain_follow(&session->drain, session->probe) < 0 || watch_rings(session, rings) < 0)
		session->recording.stop = RECORDING_FAILED;
}

/* Nothing is taken from the rings before all parts that handle it are open. */
static int open_drain(struct session *session)
{
	int r = drain_open(&session->drain, &session->recording, session->probe, session->ring_bytes);

	if (r < 0)
		return r;
	session->drain.cgroups = session->cgroups;
	session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (session->epoll_fd < 0)
		return -errno;
	return watch(session, session->recording.signal_fd, 0) ?: watch_rings(session, 0) ?:
	       sideband_wake(session->recording.sideband, session->epoll_fd);
}

static void take_snapshot(void *snapshots, const struct ring_head *head, size_t length)
{
	snapshots_take(snapshots, head, length);
}

static int open_snapshots(struct session *session)
{
	if (!session->config->snapshots)
		return 0;
	drain_handle(&session->drain, RING_SNAPSHOT, take_snapshot, &session->snapshots);
	return snapshots_init(&session->snapshots, &session->recording, &session->filter);
}

static int open_users(struct session *session)
{
	if (!session_wants_sleepers(session->config))
		return 0;
	return walk_users_create(&session->recording, session->probe, session->spawner, &session->users);
}

/* Waits and walks number their objects together. */
static int open_objects(struct session *session)
{
	const bool waits = probe_wait_objects(session->probe), walks = probe_walk_objects(session->probe);
	int r = waits || walks ? wait_objects_create(&session->recording, &session->objects) : 0;

	if (!r && waits)
		wait_objects_share(session->objects, probe_wait_names_forgotten(session->probe));
	if (!r && walks)
		wait_objects_share(session->objects, probe_walk_names_forgotten(session->probe));
	return r;
}

static int open_sources(struct session *session)
{
	const struct source_parts parts = {
		.recording = &session->recording,
		.probe = session->probe,
		.filter = &session->filter,
		.cpus = &session->cpus,
		.points = &session->points,
		.spawner = session->spawner,
		.drain = &session->drain,
		.snapshots = session->config->snapshots ? &session->snapshots : NULL,
		.users = session->users,
		.objects = session->objects,
	};
	int r = 0;

	for EACH_SOURCE(source, session)
		if (r >= 0)
			r = source->ops->open(source->self, &parts);
	return r;
}

static int open_streams(struct session *session)
{
	return streams_init(&session->streams, &session->recording, session->probe, &session->cpus, session->spawner);
}

static int open_loss(struct session *session)
{
	session->loss = (struct loss){
		.recording = &session->recording,
		.probe = session->probe,
		.drain = &session->drain,
		.files = session->files,
		.streams = &session->streams,
	};
	return loss_init(&session->loss);
}

/* --- control groups --- */

/* None of this is needed before the first event of a task. */
static int open_cgroups(struct session *session)
{
	struct recording *recording = &session->recording;
	int r;

	if (session->config->no_cgroups)
		return 0;
	session->has_cgroups_v1 = host_has_cgroups_v1(); /* later, there may be no right to look */
	r = cgroup_table_create(recording, &recording->cgroups);
	if (r >= 0 && probe_cgroups_ring(session->probe) >= 0)
		r = cgroups_create(recording->cgroups, session->probe, session->spawner, &session->cgroups);
	return r;
}

/* --- all of it --- */

struct session_part {
	/* 0 or more, or -errno after reporting why; does nothing if it is not wanted. */
	int (*open)(struct session *session);
	const char *what; /* shown to the person who waits for it; NULL: it takes no time */
};

static const struct session_part parts[] = {
	{.open = ignore_signals},
	{.open = open_status},
	{.open = open_namespaces},
	{.open = session_open_service},
	{.open = open_host},
	{.open = open_helpers},
	{.open = session_open_flight},
	{.open = open_signals},
	{.open = open_points, .what = "looking up what to trace"},
	{.open = open_log},
	{.open = open_modules},
	{.open = session_begin_flight},
	{.open = open_programs, .what = "loading programs into the kernel"},
	{.open = open_state, .what = "reading the kernel's symbols"},
	{.open = open_cgroups},
	{.open = open_drain, .what = "opening events, looking at all threads"},
	{.open = open_snapshots},
	{.open = open_users},
	{.open = open_objects},
	{.open = open_sources},
	{.open = open_streams},
	{.open = open_loss},
	{.open = session_open_budget},
	{.open = write_start},
	{.open = open_command, .what = "reading which files processes have mapped"},
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

struct session *session_create(const struct record_config *config)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->config = config;
	session->walk_plan = config->walk;
	session_list_sources(session);
	session->recording.config = config;
	session->recording.signal_fd = session->cpus.online_fd = session->output.fd = -1;
	session->epoll_fd = session->own_time = -1;
	session->ring_bytes = session_ring_bytes(config);
	return session;
}

int session_open(struct session *session)
{
	int r = 0;

	for (size_t i = 0; i < PARTS && r >= 0; i++) {
		if (parts[i].what)
			status_starting(&session->status, parts[i].what);
		r = parts[i].open(session);
	}
	status_clear(&session->status);
	return r < 0 ? r : 0;
}

/* In reverse. What was not opened, or only in part, is closed likewise. */
void session_close(struct session *session)
{
	struct recording *recording = &session->recording;

	loss_deinit(&session->loss);
	streams_deinit(&session->streams);
	for (size_t i = SESSION_SOURCES; i--;)
		session->sources[i].ops->close(session->sources[i].self);
	wait_objects_destroy(session->objects);
	walk_users_destroy(session->users);
	snapshots_deinit(&session->snapshots);
	cleanup_close(&session->epoll_fd);
	drain_close(&session->drain);
	cgroups_destroy(session->cgroups);
	cgroup_table_destroy(recording->cgroups);
	start_state_destroy(session->start_state);
	kernel_chains_destroy(recording->kernel_chains);
	kernel_map_destroy(recording->kernel_map);
	sideband_destroy(recording->sideband);
	probe_destroy(session->probe);
	module_files_destroy(session->files);
	hits_destroy(recording->hits);
	module_table_destroy(recording->modules);
	event_log_destroy(recording->log);
	trace_writer_destroy(recording->writer);
	output_file_close(&session->output);
	points_deinit(&session->points);
	cleanup_close(&recording->signal_fd);
	flight_close(session->flight);
	spawner_destroy(session->spawner);
	filter_deinit(&session->filter);
	cpus_close(&session->cpus);
	notify_close(&session->notify);
	cleanup_close(&session->own_time);
}
