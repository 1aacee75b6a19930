/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/sleepers.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/packet.h"
#include "common/time_units.h"
#include "record/helper/nursery.h"
#include "record/helper/sleeper_helper.h"
#include "record/machine/clocks.h"
#include "record/perf/ring.h"
#include "record/plan/deadlines.h"
#include "record/probe/probe.h"

enum {
	MAX_STUCK = RING_SLEEPER_SLOTS - 1, /* of a round */
	MAX_LEFT = 16,			    /* of a recording: some helpers may never end */
};

struct sleepers {
	const struct probe *probe;
	struct nursery *nursery;
	struct ring ring;
	int socket; /* of the helper, -1: none */
	uint32_t round, wanted;
	uint64_t begun, heard;	   /* CLOCK_MONOTONIC ns: the round, the last answer */
	unsigned int stuck, left;  /* helpers left behind: in this round, in all */
	bool runs, gave_up;
};

int sleepers_create(const struct probe *probe, struct nursery *nursery, struct sleepers **ret_sleepers)
{
	_cleanup_free_ struct sleepers *sleepers = calloc(1, sizeof(*sleepers));
	int r;

	if (!sleepers)
		return -ENOMEM;
	sleepers->probe = probe;
	sleepers->nursery = nursery;
	sleepers->socket = -1;
	r = ring_open(&sleepers->ring, probe_sleepers_ring(probe), RING_SLEEPER_BYTES);
	if (r < 0)
		return r;
	*ret_sleepers = steal_ptr(sleepers);
	return 0;
}

void sleepers_destroy(struct sleepers *sleepers)
{
	if (!sleepers)
		return;
	if (sleepers->socket >= 0)
		(void)close(sleepers->socket);
	ring_close(&sleepers->ring);
	free(sleepers);
}

int sleepers_want(struct sleepers *sleepers, const struct ring_task *task, uint64_t switches, uint64_t futex)
{
	const struct ring_sleeper_wanted wanted = {.start = task->start, .switches = switches, .futex = futex};
	int r = probe_sleepers_want(sleepers->probe, task->tid, &wanted);

	sleepers->wanted += r >= 0;
	return r;
}

enum sleeper_left sleepers_forget(struct sleepers *sleepers, uint32_t tid)
{
	return probe_sleepers_forget(sleepers->probe, tid) || sleepers->gave_up ? SLEEPER_STUCK : SLEEPER_GONE;
}

/* --- the helper ---------------------------------------------------------------------------------- */

static void helper_close(struct sleepers *sleepers)
{
	if (sleepers->socket >= 0)
		(void)close(sleepers->socket);
	sleepers->socket = -1;
}

void sleepers_give_up(struct sleepers *sleepers)
{
	if (!sleepers->runs)
		return;
	helper_close(sleepers);
	sleepers->gave_up = true;
	sleepers->runs = false;
}

static int ask(struct sleepers *sleepers)
{
	_cleanup_close_ int fd = -1;
	uint8_t request = 1;
	pid_t pid;
	int r = 0;

	if (sleepers->socket < 0) {
		r = nursery_spawn(sleepers->nursery, HELPER_SLEEPER, &sleepers->socket, &pid);
		if (r < 0)
			sleepers->socket = -1;
	}
	if (!r)
		r = probe_sleepers_open(sleepers->probe, sleepers->round, &fd);
	if (!r)
		r = packet_send(sleepers->socket, &request, sizeof(request), fd);
	sleepers->heard = clocks_now();
	return r;
}

static void ask_or_give_up(struct sleepers *sleepers)
{
	if (sleepers->left >= MAX_LEFT || sleepers->stuck >= MAX_STUCK || ask(sleepers) < 0)
		sleepers_give_up(sleepers);
}

void sleepers_begin(struct sleepers *sleepers)
{
	sleepers->round++;
	sleepers->runs = sleepers->wanted > 0;
	sleepers->gave_up = false;
	sleepers->wanted = 0;
	sleepers->stuck = 0;
	sleepers->begun = clocks_now();
	if (sleepers->runs)
		ask_or_give_up(sleepers);
}

/* The task that it was working on is marked as begun: the next helper continues after it. */
static void leave_helper(struct sleepers *sleepers)
{
	helper_close(sleepers);
	sleepers->stuck++;
	if (++sleepers->left == MAX_LEFT)
		log_warning("cannot read the memory of %d tasks in time: no more user stacks in walks",
			    MAX_LEFT);
	ask_or_give_up(sleepers);
}

/* --- answers ------------------------------------------------------------------------------------- */

static void take_all(struct sleepers *sleepers, sleeper_take *take, void *context)
{
	const struct ring_sleeper *sleeper;
	size_t length;

	while (ring_aim(&sleepers->ring)) {
		while ((sleeper = ring_next(&sleepers->ring, &length))) {
			if (length >= sizeof(*sleeper) && sleeper->size <= length - sizeof(*sleeper) &&
			    sleeper->round == sleepers->round)
				take(context, sleeper);
			ring_release(&sleepers->ring);
			sleepers->heard = clocks_now();
		}
		if (sleepers->ring.position != sleepers->ring.target)
			break; /* being written */
	}
}

bool sleepers_step(struct sleepers *sleepers, int timeout_ms, sleeper_take *take, void *context)
{
	int32_t reply = 0;
	ssize_t got;

	if (!sleepers->runs)
		return true;
	take_all(sleepers, take, context);
	got = packet_receive(sleepers->socket, &reply, sizeof(reply), timeout_ms, NULL);
	take_all(sleepers, take, context);
	if (got == sizeof(reply) && !reply)
		sleepers->runs = false;
	else if (got == sizeof(reply))
		sleepers_give_up(sleepers);
	else if (got != -ETIMEDOUT || clocks_now() - sleepers->heard >= DEADLINE_SLEEPER * MILLISECOND)
		leave_helper(sleepers);
	if (clocks_now() - sleepers->begun >= USERS_ROUND * MILLISECOND)
		sleepers_give_up(sleepers);
	return !sleepers->runs;
}
