/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "format/trace_writer.h"
#include "record/embed/embed.h"
#include "record/flight/flight.h"
#include "record/helper/confinement.h"
#include "record/host/clocks.h"
#include "record/host/host.h"
#include "record/place/cgroups.h"
#include "record/place/kernel_map.h"
#include "record/place/module_files.h"
#include "record/place/sideband.h"
#include "record/place/start_state.h"
#include "record/plan/deadlines.h"
#include "record/probe/probe.h"
#include "record/session_internal.h"

enum {
	PASS_MS = 1000,
	PROMPT_PASS_MS = 100,
	PROMPT_SECONDS = 3,
	MODULE_FILES_MS = 2,
	USERS_PASS_MS = 5,
	CLOCK_SECONDS = 10,
	STATUS_SECONDS = 5,
	MAX_EVENTS = 16,
};

/* --- what a session does with its sources, whichever they are --- */

void session_list_sources(struct session *session)
{
	const struct session_source list[SESSION_SOURCES] = {
		{&samples_ops, &session->samples},
		{&waits_ops, &session->waits},
		{&point_events_ops, &session->point_events},
		{&walk_ops, &session->walk},
	};

	for (size_t i = 0; i < SESSION_SOURCES; i++)
		session->sources[i] = list[i];
}

const struct session_source *session_next_source(const struct session *session, const struct session_source *before)
{
	const struct session_source *source = before ? before + 1 : session->sources;

	while (source < session->sources + SESSION_SOURCES && !source->ops->count(session->config))
		source++;
	return source < session->sources + SESSION_SOURCES ? source : NULL;
}

static void fail(struct session *session)
{
	if (session->recording.stop == RECORDING_RUNS)
		session->recording.stop = RECORDING_FAILED;
}

static void add_spans(struct session *session, const struct session_source *source)
{
	for (uint32_t i = 0; source->ops->lasts && i < source->ops->count(session->config); i++) {
		int64_t lasts = source->ops->lasts(session->config, i);
		uint32_t span = schedule_add(&session->schedule, lasts, clocks_now());

		session->spans[span] = (struct session_span){source, i};
	}
}

void session_start_sources(struct session *session)
{
	for EACH_SOURCE(source, session)
		if (source->ops->start && source->ops->start(source->self) < 0)
			fail(session);
	schedule_init(&session->schedule, session->config, clocks_now());
	for EACH_SOURCE(source, session)
		add_spans(session, source);
}

static void stop_source(struct session *session, const struct session_source *source, uint32_t number)
{
	if (source->ops->takes_users)
		walk_finish(&session->walk, USERS_STOPPED);
	if (source->ops->stop(source->self, number) < 0)
		fail(session);
}

static void stop_sources(struct session *session)
{
	for (uint32_t i = 0; i < session->schedule.span_count; i++)
		stop_source(session, session->spans[i].source, session->spans[i].number);
}

void session_stop_ended(struct session *session, uint64_t now)
{
	for (uint32_t i = 0; i < session->schedule.span_count; i++)
		if (schedule_end_is_due(&session->schedule, i, now)) {
			stop_source(session, session->spans[i].source, session->spans[i].number);
			session_write_sources(session);
		}
}

void session_write_sources(struct session *session)
{
	for EACH_SOURCE(source, session)
		source->ops->describe(source->self);
}

void session_account(struct session *session, uint64_t now, bool all)
{
	loss_begin(&session->loss, now, all);
	for EACH_SOURCE(source, session)
		if (source->ops->account)
			source->ops->account(source->self, &session->loss);
	loss_end(&session->loss);
}

/* "1,234 samples, 56 waits, 78 tasks in 9 walks" */
static void what_was_recorded(const struct session *session, char *text, size_t room)
{
	char count[STATUS_NUMBER];
	int used = 0;

	text[0] = '\0';
	for EACH_SOURCE(source, session) {
		uint64_t recorded = source->ops->recorded(source->self);

		if (source->ops == &walk_ops && !session->walk.number)
			continue;
		used += snprintf(text + used, room - (size_t)used, "%s%s %s%s", used ? ", " : "",
				 status_number(recorded, count), source->ops->event, plural(recorded));
	}
	if (session->walk.number)
		(void)snprintf(text + used, room - (size_t)used, " in %s walk%s",
			       status_number(session->walk.number, count), plural(session->walk.number));
}

/* The view that suits what was recorded. */
static const char *next_view(const struct session *session)
{
	if (session->config->offcpu.wakers && waits_ops.recorded(&session->waits))
		return "--chains";
	for EACH_SOURCE(source, session)
		if (source->ops->recorded(source->self))
			return source->ops->view;
	return "--info"; /* nothing was recorded: it says why */
}

void session_figures(const struct session *session, struct status_figures *ret_figures)
{
	*ret_figures = (struct status_figures){
		.lost = session->loss.lost,
		.left_out = session->loss.left_out,
		.written = trace_writer_bytes(session->recording.writer),
		.elapsed = clocks_now() - session->recording.start,
		.next_view = next_view(session),
		.snapshots = session->config->snapshots,
	};
	what_was_recorded(session, ret_figures->what, sizeof(ret_figures->what));
}

/* --- while it runs --- */

/* Reads pending signals; true if one of them asks to end. */
static bool read_signals(struct session *session)
{
	struct signalfd_siginfo info;
	bool ends = false;

	while (read(session->recording.signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo == SIGUSR2)
			session_want_dump(session);
		else if (info.ssi_signo != SIGHUP || !session_want_reload(session))
			ends |= info.ssi_signo != SIGCHLD;
	return ends;
}

static void stop(struct session *session, enum recording_stop why)
{
	if (session->recording.stop == RECORDING_RUNS)
		session->recording.stop = why;
}

/* -s: the first task that is stuck ends the recording. */
static void check_stuck(struct session *session)
{
	const struct walk *walk = &session->walk;

	if (!session->config->walk.stuck || walk->worst.wait < (uint64_t)session->config->walk.waiting)
		return;
	session->found_stuck = true;
	stop(session, RECORDING_ENDED);
}

/* What a user stack points to can be embedded only if its process's mappings are known when it is taken. */
static bool may_walk(const struct session *session, uint64_t now)
{
	return !session->walk.users || !session->start_state || session->start_state_done ||
	       now >= session->walk_by;
}

static void follow_schedule(struct session *session, uint64_t now)
{
	struct schedule *schedule = &session->schedule;

	session_stop_ended(session, now);
	if (may_walk(session, now) && schedule_walk_is_due(schedule, now)) {
		unended_waits_finish(&session->waits.unended, USERS_LAST);
		if (walk_run(&session->walk, &session->walk_plan) < 0)
			stop(session, RECORDING_FAILED);
		check_stuck(session);
		session_walked(session, now);
	}
	if (schedule_is_over(schedule, now) || (session->commands && command_ended(&session->command, false)))
		stop(session, RECORDING_ENDED);
}

static void tick_second(struct session *session, uint64_t now, uint64_t second)
{
	struct status_figures shown;

	session_follow_cpus(session);
	if (session->samples.running && session_samples(session))
		perf_events_follow_cpus(&session->samples.events);
	if (kernel_map_unknown(session->recording.kernel_map))
		(void)kernel_map_refresh(session->recording.kernel_map);
	session_account(session, now, false);
	session_follow_budget(session, now);
	session_watch_helpers(session);
	session_write_left(session, false);
	if (second % CLOCK_SECONDS == 0)
		session_write_clock(session);
	if (session->waits.running)
		waits_follow_clock(&session->waits);
	session_figures(session, &shown);
	status_show(&session->status, &shown);
	if (second % STATUS_SECONDS == 0)
		session_notify(session, &shown);
}

/*
 * Rings wake us when they fill. Short of that, a pass is cheaper the more it finds, because its tables leave the caches
 * in between. But new files must be opened while the processes that map them still exist.
 */
static uint64_t pass_ms(struct session *session, uint64_t now)
{
	struct module_files_counts counts;

	module_files_counts(session->files, &counts);
	if (counts.attempts != session->files_asked) {
		session->files_asked = counts.attempts;
		session->prompt_until = now + PROMPT_SECONDS * SECOND;
	}
	if (session->walk.pending || session->waits.unended.pending)
		return USERS_PASS_MS;
	if (streams_busy(&session->streams))
		return PROMPT_PASS_MS;
	if (now < session->prompt_until || (session->start_state && !session->start_state_done))
		return PROMPT_PASS_MS;
	return PASS_MS;
}

static void wait_for_events(struct session *session, uint64_t now)
{
	uint64_t next = schedule_next(&session->schedule), look = session->streams.next, pause = pass_ms(session, now);
	struct epoll_event events[MAX_EVENTS];

	next = look < next ? look : next;
	look = session->flight ? flight_state(session->flight).next : UINT64_MAX;
	next = look < next ? look : next;
	look = notify_next(&session->notify);
	next = look < next ? look : next;
	if (next <= now || session->behind)
		pause = 0;
	else if ((next - now + MILLISECOND - 1) / MILLISECOND < pause)
		pause = (next - now + MILLISECOND - 1) / MILLISECOND;
	(void)epoll_wait(session->epoll_fd, events, MAX_EVENTS, (int)pause);
	if (read_signals(session))
		stop(session, RECORDING_SIGNALLED);
}

static void follow_start_state(struct session *session)
{
	if (session->start_state_done || !session->start_state)
		return;
	session->start_state_done = start_state_step(session->start_state, START_STATE_PASS);
	if (session->start_state_done)
		sideband_stop_seeing(session->recording.sideband);
}

static void run(struct session *session)
{
	struct recording *recording = &session->recording;
	uint64_t now = clocks_now(), second = 0;

	session->walk_by = now + START_STATE_WALK * MILLISECOND;
	while (recording->stop == RECORDING_RUNS) {
		follow_schedule(session, now);
		if (recording->stop != RECORDING_RUNS)
			break;
		wait_for_events(session, now);
		session->behind = drain_pass(&session->drain);
		follow_start_state(session);
		if (session->cgroups)
			(void)cgroups_step(session->cgroups, 0);
		streams_step(&session->streams, clocks_now(), !session->start_state || session->start_state_done);
		walk_step(&session->walk, 0);
		unended_waits_step(&session->waits.unended, 0);
		if (session->files) /* while the processes that mapped them still exist */
			(void)module_files_poll(session->files, MODULE_FILES_MS);
		now = clocks_now();
		(void)recording_check(recording, event_log_tick(recording->log, now));
		session_step_flight(session, now);
		session_step_service(session, now);
		if ((now - recording->start) / SECOND != second) {
			second = (now - recording->start) / SECOND;
			tick_second(session, now, second);
		}
	}
}

/* Writes what is known of control groups, and how, in words for readers of the trace (FORMAT.md §5). */
static void write_cgroups(struct session *session)
{
	struct recording *recording = &session->recording;
	char text[64];
	bool whole;

	if (!recording->cgroups)
		return;
	if (session->cgroups)
		(void)cgroups_step(session->cgroups, CGROUPS_LAST);
	cgroup_table_finish(recording->cgroups);
	whole = session->cgroups && cgroups_are_listed(session->cgroups) &&
		!cgroup_table_left_out(recording->cgroups);
	(void)snprintf(text, sizeof(text), "v2%s%s%s", session->has_cgroups_v1 ? " v1" : "",
		       cgroup_table_is_below(recording->cgroups) ? " namespace" : "", whole ? "" : " incomplete");
	(void)recording_check(recording, event_log_add_meta(recording->log, "cgroups", text));
}

static void write_throttling(struct session *session)
{
	static const char unknown[] = "unknown: what quotas of control groups took is in the time on run queues";
	struct recording *recording = &session->recording;

	if (recording->config->offcpu.wanted && !probe_waits_throttled(session->probe))
		(void)recording_check(recording, event_log_add_meta(recording->log, "throttling", unknown));
}

/* Writes the rest of the events and the account. Afterwards nothing of the recording is open but the file. */
static void finish_events(struct session *session)
{
	struct recording *recording = &session->recording;
	unsigned int budget = recording->stop == RECORDING_ENDED ? USERS_LAST : USERS_STOPPED;
	uint64_t now;

	walk_finish(&session->walk, budget);
	stop_sources(session);
	unended_waits_finish(&session->waits.unended, budget);
	if (session->start_state)
		start_state_end(session->start_state, START_STATE_LAST);
	(void)drain_pass(&session->drain);
	sideband_compare_copies(recording->sideband);
	write_cgroups(session);
	write_throttling(session);
	now = clocks_now();
	streams_finish(&session->streams, now);
	session->walk.stop = now;
	session_write_sources(session);
	session_account(session, now, true);
	session_write_clock(session);
	(void)recording_check(recording, event_log_flush(recording->log));
}

static bool embedding_cancelled(void *context)
{
	return read_signals(context);
}

static void embedding_progress(void *context, size_t done, size_t total)
{
	struct session *session = context;

	status_embedding(&session->status, done, total);
}

static enum rwk_end_reason embed(struct session *session)
{
	const struct embed_watch watch = {session, embedding_cancelled, embedding_progress};
	const struct embed_wish wish = {session->config->output.embed,
					elf_unwind_wish(session->config->snapshots), true};
	struct recording *recording = &session->recording;
	struct embed_result result = {0};
	int r;

	if (recording->error || session->config->output.embed == EMBED_LEVEL_NONE || session->output.fd < 0)
		return RWK_END_CLEAN;
	r = embed_run(recording, session->files, session->spawner, &wish, &watch, &result);
	if (r == -ECANCELED)
		return RWK_END_SIGNAL;
	(void)recording_check(recording, r);
	status_clear(&session->status);
	embed_warn(&result);
	return RWK_END_CLEAN;
}

static void say_stuck(const struct session *session)
{
	const struct walk *walk = &session->walk;

	if (!session->config->walk.stuck)
		return;
	if (session->found_stuck)
		log_info("stuck: '%s' (tid %u) in D for %.1f s", walk->worst.comm, walk->worst.tid,
			 (double)walk->worst.wait / (double)SECOND);
	else
		log_info("nothing is stuck: no task in D for %.9g s or more in %u walk%s",
			 (double)session->config->walk.waiting / (double)SECOND, walk->number, plural(walk->number));
}

static void write_refused(struct session *session)
{
	int first = 0;
	uint64_t refused = confinement_refused(session->confinement, &first);
	char text[64];

	if (!refused)
		return;
	(void)snprintf(text, sizeof(text), "%" PRIu64 " (the first: %d)", refused, first);
	(void)recording_check(&session->recording, event_log_add_meta(session->recording.log, "refused_calls", text));
}

static int finish_file(struct session *session)
{
	struct recording *recording = &session->recording;
	bool dumped = session_end_flight(session);
	enum rwk_end_reason reason = embed(session);
	struct status_figures shown;

	write_refused(session);
	session_write_left(session, true);
	(void)recording_check(recording, event_log_close(recording->log, reason, NULL, 0));
	status_clear(&session->status);
	session_figures(session, &shown);
	say_stuck(session);
	if (session->streams.unsure)
		log_warning("records of processes are missing for %.1f s of the recording: names "
			    "of what started then may be wrong (rwalker-report --info shows when)",
			    (double)session->streams.unsure / (double)SECOND);
	if (!session->flight)
		status_summary(&shown, session->output.path);
	else if (shown.lost)
		log_warning("%" PRIu64 " event%s lost (rwalker-report --info shows why)", shown.lost,
			    shown.lost == 1 ? " was" : "s were");
	if (recording->error == -EFBIG)
		log_warning("stopped at --max-size");
	else if (recording->error)
		(void)log_error(-recording->error,
				"cannot write to '%s': %s; the trace ends there and is valid",
				session->flight ? "--flight" : session->output.path, strerror(-recording->error));
	if (recording->refused)
		log_warning("%" PRIu64 " record%s could not be encoded and %s lost: that is a fault of this program, "
			    "please report it", recording->refused, plural(recording->refused),
			    recording->refused == 1 ? "is" : "are");
	if (recording->error || !dumped)
		return SESSION_STORAGE;
	if (recording->stop == RECORDING_FAILED)
		return SESSION_FAILED;
	return session->loss.lost || recording->refused ? SESSION_LOST : SESSION_OK;
}

/*
 * The command continues if the recording ends first; we return its exit code unless something is wrong with the trace.
 */
static int finish_command(struct session *session, int result)
{
	if (!session->commands)
		return result;
	(void)command_ended(&session->command, true);
	return result == SESSION_OK ? command_exit_code(&session->command) : result;
}

static int record(struct session *session)
{
	int result;

	session_start_sources(session);
	session_write_sources(session);
	if (session->commands && command_release(&session->command, session->config->command[0]) < 0)
		stop(session, RECORDING_FAILED);
	notify_enter(&session->notify, NOTIFY_READY, clocks_now());
	run(session);
	notify_enter(&session->notify, NOTIFY_STOPS, clocks_now());
	finish_events(session);
	result = finish_file(session);
	return finish_command(session, result);
}

static int run_opened(struct session *session)
{
	int r = session_open(session);

	if (r >= 0)
		return record(session);
	if (session->commands)
		command_abandon(&session->command);
	output_file_discard(&session->output);
	return r == -EINVAL && !session->probe ? SESSION_USAGE : SESSION_FAILED;
}

int session_run(const struct record_config *config)
{
	_cleanup_free_ struct session *session = session_create(config);
	int result;

	if (!session)
		return log_error(ENOMEM, "there is no memory"), SESSION_FAILED;
	result = run_opened(session);
	session_close(session);
	confinement_warn(session->confinement);
	return result;
}
