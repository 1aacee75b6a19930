/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a session does with its sources, whichever they are. */
#include <inttypes.h>
#include <stdio.h>

#include "common/printable.h"
#include "format/trace_writer.h"
#include "record/host/clocks.h"
#include "record/plan/deadlines.h"
#include "record/session_internal.h"

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

static void stop(struct session *session, const struct session_source *source, uint32_t number)
{
	if (source->ops->takes_users)
		walk_finish(&session->walk, USERS_STOPPED);
	if (source->ops->stop(source->self, number) < 0)
		fail(session);
}

void session_stop_sources(struct session *session)
{
	for (uint32_t i = 0; i < session->schedule.span_count; i++)
		stop(session, session->spans[i].source, session->spans[i].number);
}

void session_keep_ends(struct session *session, uint64_t now)
{
	for (uint32_t i = 0; i < session->schedule.span_count; i++)
		if (schedule_take_end(&session->schedule, i, now)) {
			stop(session, session->spans[i].source, session->spans[i].number);
			session_tell_sources(session);
		}
}

void session_tell_sources(struct session *session)
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
