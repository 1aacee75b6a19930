/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/flight/flight.h"
#include "record/helper/helpers.h"
#include "record/host/clocks.h"
#include "record/place/module_files.h"
#include "record/place/sideband.h"
#include "record/plan/deadlines.h"
#include "record/session_internal.h"
#include "record/source/unended_waits.h"

/* --- helper processes that are gone for good, or cannot be ended: reported once, and in the trace --- */

enum { ENDED_RECORDING = 1, ENDED_FILES = 2, ENDED_DUMPS = 4 };

static const struct {
	unsigned int ended;
	const char *word, *said;
} WORDS[] = {
	{ENDED_RECORDING, "recording",
	 "the process that starts helpers was killed: files that programs map from now on are not opened, and "
	 "names of theirs may be missing; restart the recorder"},
	{ENDED_FILES, "files",
	 "helpers that open the files of programs were killed or hung several times: from now on no more are "
	 "opened, and names of theirs may be missing; restart the recorder"},
	{ENDED_DUMPS, "dumps",
	 "the process that reads names for dumps was killed: from now on dumps have no names from programs' "
	 "files; restart the recorder"},
};

static unsigned int what_ended(const struct session *session)
{
	const struct spawner *dumps = flight_spawner(session->flight);
	unsigned int ended = dumps && spawner_has_ended(dumps) ? ENDED_DUMPS : 0;

	if (spawner_has_ended(session->spawner))
		return ended | ENDED_RECORDING;
	return ended | (session->files && module_files_gave_up(session->files) ? ENDED_FILES : 0);
}

static void tell(struct session *session)
{
	char text[64] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
		if (session->helpers_ended & WORDS[i].ended)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "",
						 WORDS[i].word);
	(void)recording_check(&session->recording, event_log_add_meta(session->recording.log, "helpers_ended", text));
}

static void tell_left(struct session *session)
{
	(void)recording_check(&session->recording, event_log_add_meta(session->recording.log, "helpers_left",
								      session->helpers_left));
}

void session_watch_helpers(struct session *session)
{
	unsigned int news = what_ended(session) & ~session->helpers_ended;

	if (!news)
		return;
	session->helpers_ended |= news;
	for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
		if (news & WORDS[i].ended)
			log_warning("%s", WORDS[i].said);
	tell(session);
}

void session_write_left(struct session *session, bool last)
{
	char *text = session->helpers_left;
	const size_t room = sizeof(session->helpers_left);
	const size_t before = strlen(text);
	const char *what;
	pid_t pid;

	while (spawner_next_left(session->spawner, last, &what, &pid)) {
		size_t used = strlen(text);

		log_warning("helper process %d (%s) waits in the kernel and cannot be ended: it is left behind",
			    (int)pid, what);
		(void)snprintf(text + used, room - used, "%s%s %d", used ? ", " : "", what, (int)pid);
	}
	if (strlen(text) != before)
		tell_left(session);
}

static void write_helpers(struct session *session)
{
	if (session->helpers_ended)
		tell(session);
	if (*session->helpers_left)
		tell_left(session);
}

/* --- --flight --- */

int session_open_flight(struct session *session)
{
	const struct flight_sizes sizes = {session_window_bytes(session), session_helper_bytes(session->config)};

	if (!session->config->flight.wanted)
		return 0;
	return flight_open(session->config, &session->recording, &sizes, &session->flight);
}

int session_begin_flight(struct session *session)
{
	return session->flight ? flight_begin(session->flight, session->files) : 0;
}

void session_want_dump(struct session *session)
{
	const struct flight_cause cause = {.rule = "signal", .always = true};

	if (session->flight)
		flight_fire(session->flight, &cause, clocks_now());
}

void session_walked(struct session *session, uint64_t now)
{
	const struct walk *walk = &session->walk;
	const struct flight_cause cause = {.comm = walk->worst.comm, .tgid = walk->worst.tgid,
					   .tid = walk->worst.tid, .value = walk->worst.wait};

	if (session->flight && cause.value)
		flight_walked(session->flight, &cause, now);
}

/* Brings the log and its account up to date, and opens files that were mapped lately, for embedding. */
static void catch_up(struct session *session)
{
	if (session->files)
		(void)module_files_poll(session->files, FILES_DUMP);
	walk_finish(&session->walk, USERS_STOPPED);
	if (session->waits.open)
		(void)open_waits_look(session->waits.open); /* before the rings, which have what ends meanwhile */
	(void)drain_pass(&session->drain);
	session_account(session, clocks_now(), true);
	session_write_clock(session);
	session_watch_helpers(session);
	(void)recording_check(&session->recording, event_log_flush(session->recording.log));
}

/* record/flight/flight_internal.h. Threads are in execve(), and single-threaded processes exit, for less than 10 s. */
void session_begin_segment(struct session *session)
{
	static const uint64_t LINGERS = 10 * SECOND;
	struct recording *recording = &session->recording;
	uint64_t now;

	if (recording->segment) /* what is before the first one holds for good, so it must not be about processes */
		(void)drain_pass(&session->drain);
	(void)recording_check(recording, event_log_flush(recording->log));
	now = recording->segment ? clocks_now() : recording->start;
	if (now > LINGERS)
		sideband_bury(recording->sideband, now - LINGERS);
	flight_begin_segment(session->flight, now);
	session_write_clock(session);
	session_write_sources(session);
	write_helpers(session);
	session_write_budget(session, now);
	session_account(session, now, true);
}

void session_step_flight(struct session *session, uint64_t now)
{
	bool due = session->flight && flight_is_due(session->flight, now);

	if (session->flight && flight_wants_segment(session->flight, now))
		session_begin_segment(session);
	if (!due)
		return;
	catch_up(session);
	flight_dump(session->flight, session->waits.open, clocks_now());
}

/* Makes the last dump. True if all dumps were written. */
bool session_end_flight(struct session *session)
{
	const struct flight_cause cause = {.rule = "end", .always = true};
	struct flight_state state;

	if (!session->flight)
		return true;
	flight_await(session->flight);
	flight_fire(session->flight, &cause, clocks_now());
	session_watch_helpers(session);
	(void)recording_check(&session->recording, event_log_flush(session->recording.log));
	flight_dump(session->flight, NULL, clocks_now());
	flight_await(session->flight);
	state = flight_state(session->flight);
	log_info("%" PRIu64 " dump%s written", state.dumps, plural(state.dumps));
	return !state.failed;
}

/* --- the service manager --- */

/* If there is a command after "--", the manager waits for that: its notifications are the service's. */
int session_open_service(struct session *session)
{
	if (!session->config->command)
		notify_open(&session->notify);
	return 0;
}

/* --- reload --- */

/* Without a file that can be read again, SIGHUP means that the terminal was closed. */
bool session_want_reload(struct session *session)
{
	session->reload_wanted |= session->flight && session->config->file.path;
	return session->reload_wanted;
}

static void say_unchanged(const struct record_config *first, const struct record_config *next)
{
	static const char *const changed[] = {"--trigger", "--post", "--cooldown", "--max-dumps", "--max-kept", NULL};

	if (!record_option_file_equal(&first->file, &next->file, changed))
		log_warning("some of '%s' counts only after a restart: what is not --trigger, --post, --cooldown, "
			    "--max-dumps or --max-kept", first->file.path);
}

static int reload(struct session *session)
{
	const struct record_config *first = session->config;
	struct record_config *next = &session->reloaded[session->reloads % 2];
	int r = record_options_parse(next, first->argc, first->argv);

	if (r >= 0)
		r = flight_reload(session->flight, &next->flight, &first->offcpu);
	if (r < 0)
		return r;
	session->reloads++;
	if (next->walk.waiting)
		session->walk_plan.waiting = next->walk.waiting;
	say_unchanged(first, next);
	return 0;
}

void session_step_service(struct session *session, uint64_t now)
{
	if (session->reload_wanted && flight_state(session->flight).idle) {
		session->reload_wanted = false;
		notify_enter(&session->notify, NOTIFY_RELOADS, now);
		if (reload(session) < 0)
			log_warning("all rules are as before");
		else
			log_info("took over the rules of '%s'", session->config->file.path);
		notify_enter(&session->notify, NOTIFY_READY, clocks_now());
	}
	notify_step(&session->notify, now);
}

/* --- what it does --- */

/* "60.0 s in 12.3 MB; 2 dumps written, 0 failed" */
static size_t kept_text(const struct flight *flight, char *text, size_t room)
{
	const struct flight_state state = flight_state(flight);

	return (size_t)snprintf(text, room, "keeps %.1f s in %.1f MB; %" PRIu64 " dump%s written, %" PRIu64 " failed",
				(double)(clocks_now() - state.since) / (double)SECOND, (double)state.bytes / 1e6,
				state.dumps, plural(state.dumps), state.failed);
}

void session_notify(struct session *session, const struct status_figures *figures)
{
	char text[NOTIFY_TEXT_MAX];
	size_t used;

	if (!session->notify.socket_plus_1)
		return;
	if (session->flight)
		used = kept_text(session->flight, text, sizeof(text));
	else
		used = (size_t)snprintf(text, sizeof(text), "records for %" PRIu64 " s", figures->elapsed / SECOND);
	(void)snprintf(text + used, sizeof(text) - used, "; %" PRIu64 " event%s lost", figures->lost,
		       plural(figures->lost));
	notify_status(&session->notify, text);
}
