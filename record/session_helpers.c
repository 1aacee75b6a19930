/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reports helper processes that are gone for good, or cannot be ended, once, and in the trace (META helpers_ended,
 * helpers_left).
 */
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "format/event_log.h"
#include "record/flight/flight.h"
#include "record/helper/helpers.h"
#include "record/place/module_files.h"
#include "record/session_internal.h"

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
	unsigned int ended = flight_lost_spawner(session->flight) ? ENDED_DUMPS : 0;

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

void session_tell_left(struct session *session, bool last)
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

void session_tell_helpers(struct session *session)
{
	if (session->helpers_ended)
		tell(session);
	if (*session->helpers_left)
		tell_left(session);
}
