/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --flight within a recording: what is written before a dump, and what makes one. */
#include <inttypes.h>

#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/flight/flight.h"
#include "record/host/clocks.h"
#include "record/place/module_files.h"
#include "record/place/sideband.h"
#include "record/plan/deadlines.h"
#include "record/session_internal.h"
#include "record/source/unended_waits.h"

int session_open_flight(struct session *session)
{
	const struct flight_sizes sizes = {session_window_bytes(session), session_helper_bytes(session->config)};

	if (!session->config->flight.wanted)
		return 0;
	return flight_open(session->config, &session->recording, &sizes, &session->flight);
}

void session_close_flight(struct session *session)
{
	flight_close(session->flight);
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
static void settle(struct session *session)
{
	if (session->files)
		(void)module_files_poll(session->files, FILES_DUMP);
	walk_finish(&session->walk, USERS_STOPPED);
	if (session->waits.open)
		(void)open_waits_look(session->waits.open); /* before the rings, which have what ends meanwhile */
	(void)drain_pass(&session->drain);
	session_account(session, clocks_now(), true);
	session_tell_clock(session);
	session_watch_helpers(session);
	(void)recording_check(&session->recording, event_log_flush(session->recording.log));
}

/* record/flight/segments.h. Threads are in execve(), and single-threaded processes exit, for less than 10 s. */
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
	session_tell_clock(session);
	session_tell_sources(session);
	session_tell_helpers(session);
	session_tell_budget(session, now);
	session_account(session, now, true);
}

void session_step_flight(struct session *session, uint64_t now)
{
	bool due = session->flight && flight_is_due(session->flight, now);

	if (session->flight && flight_wants_segment(session->flight, now))
		session_begin_segment(session);
	if (!due)
		return;
	settle(session);
	flight_dump(session->flight, session->waits.open, clocks_now());
}

/* Makes the last dump. True if all dumps were written. */
bool session_end_flight(struct session *session)
{
	const struct flight_cause cause = {.rule = "end", .always = true};
	struct flight_counts counts;

	if (!session->flight)
		return true;
	flight_await(session->flight);
	flight_fire(session->flight, &cause, clocks_now());
	session_watch_helpers(session);
	(void)recording_check(&session->recording, event_log_flush(session->recording.log));
	flight_end(session->flight, clocks_now());
	counts = flight_counts(session->flight);
	log_info("%" PRIu64 " dump%s written", counts.dumps, plural(counts.dumps));
	return !counts.failed;
}
