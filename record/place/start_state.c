/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/start_state.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "format/limits.h"
#include "record/helper/helpers.h"
#include "record/helper/maps_helper.h"
#include "record/host/clocks.h"
#include "record/place/sideband.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"

enum { AHEAD = 32 };

struct start_state {
	struct recording *recording;
	/* Not 0: processes are read again, because records since then may have been missed. */
	uint64_t since;
	ARRAY(uint32_t) tgids;
	size_t asked, answered; /* the helper works on tgids[answered] while answered < asked */
	struct helper helper;
	uint8_t packet[PACKET_MAX];
};

/* --- one answer ---------------------------------------------------------------------------------- */

/*
 * A process that was forked since we began has its history in the trace: it is recorded as of now,
 * others as of the start. When processes are read again, those we know have a history, too, and
 * those we do not know are as old as what was missed.
 */
static uint64_t time_of(const struct start_state *state, uint32_t tgid)
{
	const struct sideband *sideband = state->recording->sideband;

	if (sideband_seen(sideband, tgid) & SIDEBAND_FORKED || (state->since && sideband_knows(sideband, tgid)))
		return clocks_now();
	return state->since ? state->since : state->recording->start;
}

static void tell_comm(struct start_state *state, const struct maps_reply *reply, uint64_t time)
{
	struct recording *recording = state->recording;
	struct event event = {
		.kind = EVENT_COMM,
		.comm = {.time = time,
			 .tgid = reply->tgid,
			 .tid = reply->tgid,
			 .flags = COMM_INITIAL,
			 .comm = {reply->comm, (uint32_t)strnlen(reply->comm, sizeof(reply->comm) - 1)}},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void tell_mapping(struct start_state *state, uint32_t tgid, const struct maps_record *record, const char *path,
			 uint64_t time)
{
	struct sideband_mapping mapping = {
		.time = time,
		.start = record->start,
		.end = record->end,
		.file_offset = record->file_offset,
		.flags = MAPPING_INITIAL,
		.tgid = tgid,
		.path = path,
		.device = record->device,
		.inode = record->inode,
		.deleted = record->deleted,
		.copied = record->copied,
		.only_new = state->since,
	};

	sideband_map(state->recording->sideband, &mapping);
}

/* The helper is ours, but it has read what others wrote: lengths are checked nevertheless. */
static void take_records(struct start_state *state, const struct maps_reply *reply, size_t length)
{
	uint64_t time = time_of(state, reply->tgid);
	size_t at = sizeof(*reply);
	char path[RWK_MAX_STRING + 1];
	struct maps_record record;

	if (reply->last && reply->comm[0]) /* else it was gone before its name was read */
		tell_comm(state, reply, time);
	for (uint32_t i = 0; i < reply->count && length - at >= sizeof(record); i++) {
		memcpy(&record, state->packet + at, sizeof(record));
		at += sizeof(record);
		if (record.path_length > length - at || record.path_length > RWK_MAX_STRING)
			return;
		memcpy(path, state->packet + at, record.path_length);
		path[record.path_length] = '\0';
		at += record.path_length;
		tell_mapping(state, reply->tgid, &record, path, time);
	}
}

static void take_list(struct start_state *state, const struct maps_reply *reply, size_t length)
{
	size_t at = sizeof(*reply);
	uint32_t tgid;

	for (uint32_t i = 0; i < reply->count && length - at >= sizeof(tgid); i++, at += sizeof(tgid)) {
		memcpy(&tgid, state->packet + at, sizeof(tgid));
		if (tgid && array_push(&state->tgids, tgid) < 0)
			return;
	}
}

static void unavailable(struct start_state *state, uint32_t tgid, int error)
{
	if (!tgid)
		return;
	if (!state->since || !sideband_knows(state->recording->sideband, tgid))
		sideband_maps_unavailable(state->recording->sideband, tgid, error);
}

static void take_answer(struct start_state *state, size_t length)
{
	struct maps_reply reply;

	if (length < sizeof(reply) || state->answered == state->asked)
		return;
	memcpy(&reply, state->packet, sizeof(reply));
	if (reply.tgid != state->tgids.items[state->answered])
		return;
	state->answered += reply.last != 0;
	if (reply.error && reply.error != -ESRCH)
		unavailable(state, reply.tgid, reply.error);
	if (!reply.tgid) {
		take_list(state, &reply, length);
		return;
	}
	/* Its own exec has reported everything there is; older mappings are no longer valid. */
	if (!(sideband_seen(state->recording->sideband, reply.tgid) & SIDEBAND_EXECED))
		take_records(state, &reply, length);
}

/* --- the helper ---------------------------------------------------------------------------------- */

static void helper_leave(struct start_state *state, int error)
{
	if (state->answered < state->asked)
		unavailable(state, state->tgids.items[state->answered++], error);
	state->asked = state->answered;
	helper_give_up(&state->helper);
}

static void give_up(struct start_state *state)
{
	while (state->answered < state->tgids.count)
		unavailable(state, state->tgids.items[state->answered++], -ETIMEDOUT);
	state->asked = state->answered;
}

static void ask_more(struct start_state *state)
{
	if (!helper_ready(&state->helper)) {
		give_up(state);
		return;
	}
	if (state->asked == state->answered)
		helper_heard(&state->helper);
	while (state->asked < state->tgids.count && state->asked - state->answered < AHEAD) {
		if (packet_send(state->helper.socket, &state->tgids.items[state->asked], sizeof(uint32_t), -1))
			break;
		state->asked++;
	}
}

static void listen_once(struct start_state *state, int timeout_ms)
{
	bool has_time = helper_has_time(&state->helper); /* before: it may answer and sleep now */
	ssize_t got = packet_receive(state->helper.socket, state->packet, sizeof(state->packet), timeout_ms, NULL);

	if (got > 0) {
		helper_heard(&state->helper);
		take_answer(state, (size_t)got);
	} else if (got != -ETIMEDOUT) {
		helper_leave(state, -ECHILD);
	} else if (!has_time) {
		helper_leave(state, -ETIMEDOUT);
	}
}

bool start_state_step(struct start_state *state, unsigned int budget_ms)
{
	uint64_t end = clocks_now() + budget_ms * MILLISECOND;

	do {
		ask_more(state);
		if (state->answered == state->tgids.count)
			return true;
		listen_once(state, budget_ms ? 10 : 0);
	} while (clocks_now() < end);
	return state->answered == state->tgids.count;
}

void start_state_end(struct start_state *state, unsigned int budget_ms)
{
	if (!start_state_step(state, budget_ms))
		give_up(state);
}

/* --- life ---------------------------------------------------------------------------------------- */

static void directory_close(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory);
}

static int list_processes(struct start_state *state)
{
	_cleanup_(directory_close) DIR *directory = opendir("/proc");
	const struct dirent *entry;
	int rc = 0;

	if (!directory)
		return -errno;
	while (!rc && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = array_push(&state->tgids, (uint32_t)strtoul(entry->d_name, NULL, 10));
	return rc;
}

int start_state_create(struct recording *recording, struct spawner *spawner, uint64_t since,
		       struct start_state **ret_state)
{
	struct start_state *state = calloc(1, sizeof(*state));
	int rc = state ? 0 : -ENOMEM;

	if (rc)
		return rc;
	state->recording = recording;
	state->helper = helper_of(spawner, HELPER_MAPS);
	state->since = since;
	rc = since ? array_push(&state->tgids, 0) : list_processes(state); /* the helper has the list */
	if (rc) {
		start_state_destroy(state);
		return rc;
	}
	*ret_state = state;
	return 0;
}

void start_state_destroy(struct start_state *state)
{
	if (!state)
		return;
	helper_close(&state->helper);
	array_free(&state->tgids);
	free(state);
}
