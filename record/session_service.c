/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the recorder tells the service manager that runs it, if there is one. */
#include <inttypes.h>
#include <stdio.h>

#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "record/flight/flight.h"
#include "record/host/clocks.h"
#include "record/session_internal.h"

/* If there is a command after "--", the manager waits for that: its notifications are the service's. */
int session_open_service(struct session *session)
{
	if (!session->config->command)
		notify_open(&session->notify);
	return 0;
}

void session_close_service(struct session *session)
{
	notify_close(&session->notify);
}

/* --- reload --- */

/* Without a file that can be read again, SIGHUP means that the terminal was closed. */
bool session_want_reload(struct session *session)
{
	session->reload_wanted |= session->flight && session->config->file.path;
	return session->reload_wanted;
}

static void say_the_rest(const struct record_config *first, const struct record_config *next)
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
	say_the_rest(first, next);
	return 0;
}

void session_step_service(struct session *session, uint64_t now)
{
	if (session->reload_wanted && flight_is_idle(session->flight)) {
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
	struct flight_counts counts = flight_counts(flight);
	return (size_t)snprintf(text, room, "keeps %.1f s in %.1f MB; %" PRIu64 " dump%s written, %" PRIu64 " failed",
				(double)(clocks_now() - flight_since(flight)) / (double)SECOND,
				(double)flight_bytes(flight) / 1e6, counts.dumps, plural(counts.dumps), counts.failed);
}

void session_tell_service(struct session *session, const struct status_figures *figures)
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
