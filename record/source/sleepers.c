/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/sleepers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "common/log.h"
#include "common/time_units.h"
#include "record/helper/helpers.h"
#include "record/helper/iterator_helper.h"
#include "record/host/clocks.h"
#include "record/plan/deadlines.h"
#include "record/probe/probe.h"

enum {
	MAX_LEFT = 16, /* of a recording: some helpers may never end */
	STEP_MS = 5,   /* for the answers that have arrived */
};

struct sleepers {
	const struct probe *probe;
	struct helper helper; /* `stuck`: of the round */
	uint32_t most; /* bytes of a stack */
	uint32_t wanted;
	uint64_t begun; /* CLOCK_MONOTONIC ns: the round */
	unsigned int left; /* helpers left behind, in all */
	bool runs, gave_up;
	struct ring_sleeper *answer; /* with room for the largest stack */
};

int sleepers_create(const struct probe *probe, struct spawner *spawner, uint32_t most, struct sleepers **ret_sleepers)
{
	struct sleepers *sleepers = calloc(1, sizeof(*sleepers));

	if (!sleepers)
		return -ENOMEM;
	*sleepers = (struct sleepers){.probe = probe, .helper = helper_of(spawner, HELPER_ITERATOR), .most = most};
	sleepers->answer = malloc(sizeof(*sleepers->answer) + most);
	if (!sleepers->answer) {
		sleepers_destroy(sleepers);
		return -ENOMEM;
	}
	*ret_sleepers = sleepers;
	return 0;
}

void sleepers_destroy(struct sleepers *sleepers)
{
	if (!sleepers)
		return;
	helper_close(&sleepers->helper);
	free(sleepers->answer);
	free(sleepers);
}

int sleepers_want(struct sleepers *sleepers, uint32_t tid, const struct ring_sleeper_wanted *wanted)
{
	int r = probe_sleepers_want(sleepers->probe, tid, wanted);

	sleepers->wanted += r >= 0;
	return r;
}

enum sleeper_left sleepers_forget(struct sleepers *sleepers, uint32_t tid)
{
	return probe_sleepers_forget(sleepers->probe, tid) || sleepers->gave_up ? SLEEPER_STUCK : SLEEPER_GONE;
}

/* --- the helper ---------------------------------------------------------------------------------- */

void sleepers_give_up(struct sleepers *sleepers)
{
	if (!sleepers->runs)
		return;
	helper_close(&sleepers->helper);
	sleepers->gave_up = true;
	sleepers->runs = false;
}

/* A new helper; it gets the page in which it is asked. */
static int helper_start(struct sleepers *sleepers)
{
	const struct iterator_request request = {.what = ITERATOR_PAGE};

	if (!helper_ready(&sleepers->helper))
		return -ECHILD;
	return packet_send(sleepers->helper.socket, &request, sizeof(request), probe_sleepers_page(sleepers->probe));
}

static int ask(struct sleepers *sleepers)
{
	const struct iterator_request request = {.what = ITERATOR_SLEEPERS, .most = sleepers->most};
	_cleanup_close_ int fd = -1;
	int r = sleepers->helper.socket < 0 ? helper_start(sleepers) : 0;

	if (!r)
		r = probe_sleepers_open(sleepers->probe, &fd);
	if (!r)
		r = packet_send(sleepers->helper.socket, &request, sizeof(request), fd);
	helper_heard(&sleepers->helper);
	return r;
}

static void ask_or_give_up(struct sleepers *sleepers)
{
	if (sleepers->left >= MAX_LEFT || sleepers->helper.stuck >= HELPER_MAX_STUCK || ask(sleepers) < 0)
		sleepers_give_up(sleepers);
}

void sleepers_begin(struct sleepers *sleepers)
{
	sleepers->runs = sleepers->wanted > 0;
	sleepers->gave_up = false;
	sleepers->wanted = 0;
	sleepers->helper.stuck = 0;
	sleepers->begun = clocks_now();
	if (sleepers->runs)
		ask_or_give_up(sleepers);
}

/* The task that it was working on is marked as begun: the next helper continues after it. */
static void leave_helper(struct sleepers *sleepers)
{
	helper_give_up(&sleepers->helper);
	if (++sleepers->left == MAX_LEFT)
		log_warning("cannot read the memory of %d tasks in time: no more user stacks in walks",
			    MAX_LEFT);
	ask_or_give_up(sleepers);
}

/* --- answers ------------------------------------------------------------------------------------- */

/* One packet. Returns whether the round goes on. */
static bool take_answer(struct sleepers *sleepers, size_t length, sleeper_take *take, void *context)
{
	const struct ring_sleeper *answer = sleepers->answer;
	int32_t reply;

	helper_heard(&sleepers->helper);
	if (length >= sizeof(*answer)) {
		if (answer->size <= length - sizeof(*answer))
			take(context, answer);
		return true;
	}
	memcpy(&reply, answer, sizeof(reply));
	if (length != sizeof(reply) || reply)
		sleepers_give_up(sleepers);
	sleepers->runs = false;
	return false;
}

bool sleepers_step(struct sleepers *sleepers, int timeout_ms, sleeper_take *take, void *context)
{
	const size_t room = sizeof(*sleepers->answer) + sleepers->most;
	const uint64_t end = clocks_now() + STEP_MS * MILLISECOND;
	ssize_t got = 1;

	while (sleepers->runs && got > 0 && clocks_now() < end) {
		got = packet_receive(sleepers->helper.socket, sleepers->answer, room, timeout_ms, NULL);
		if (got > 0 && !take_answer(sleepers, (size_t)got, take, context))
			return true;
		timeout_ms = 1;
	}
	if (!sleepers->runs)
		return true;
	if (got <= 0 && (got != -ETIMEDOUT || !helper_has_time(&sleepers->helper)))
		leave_helper(sleepers);
	if (clocks_now() - sleepers->begun >= USERS_ROUND * MILLISECOND)
		sleepers_give_up(sleepers);
	return !sleepers->runs;
}
