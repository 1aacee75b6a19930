/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/cgroup/cgroups.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/ring_cgroup.h"
#include "common/cleanup.h"
#include "common/packet.h"
#include "common/time_units.h"
#include "record/cgroup/cgroup_table.h"
#include "record/helper/iterator_helper.h"
#include "record/helper/nursery.h"
#include "record/machine/clocks.h"
#include "record/perf/ring.h"
#include "record/plan/deadlines.h"
#include "record/probe/probe.h"

enum { MAX_LEFT = 4 }; /* helpers that do not answer */

struct cgroups {
	struct cgroup_table *table;
	const struct probe *probe;
	struct nursery *nursery;
	struct ring ring;
	int socket;	     /* of the helper, -1: none */
	uint64_t lost, asked_at; /* records of the ring; CLOCK_MONOTONIC ns */
	unsigned int left;
	pid_t helper;
	bool asked, listed;
};

static void helper_leave(struct cgroups *cgroups)
{
	if (cgroups->socket >= 0) {
		nursery_leave(cgroups->nursery, cgroups->helper);
		(void)close(cgroups->socket);
	}
	cgroups->socket = -1;
	cgroups->asked = false;
	cgroups->left++;
}

static void ask(struct cgroups *cgroups)
{
	_cleanup_close_ int fd = -1;
	const struct iterator_request request = {.what = ITERATOR_CGROUPS};

	if (cgroups->left >= MAX_LEFT)
		return;
	if (cgroups->socket < 0 &&
	    nursery_spawn(cgroups->nursery, HELPER_ITERATOR, &cgroups->socket, &cgroups->helper) < 0)
		cgroups->socket = -1;
	if (cgroups->socket < 0 || probe_cgroups_open(cgroups->probe, &fd) < 0 ||
	    packet_send(cgroups->socket, &request, sizeof(request), fd) < 0) {
		helper_leave(cgroups);
		return;
	}
	cgroups->asked = true;
	cgroups->listed = false;
	cgroups->asked_at = clocks_now();
	cgroup_table_begin_list(cgroups->table);
}

int cgroups_create(struct cgroup_table *table, const struct probe *probe, struct nursery *nursery,
		   struct cgroups **ret_cgroups)
{
	_cleanup_free_ struct cgroups *cgroups = calloc(1, sizeof(*cgroups));
	int r;

	if (!cgroups)
		return -ENOMEM;
	cgroups->table = table;
	cgroups->probe = probe;
	cgroups->nursery = nursery;
	cgroups->socket = -1;
	r = ring_open(&cgroups->ring, probe_cgroups_ring(probe), RING_CGROUP_BYTES);
	if (r < 0)
		return r;
	ask(cgroups);
	*ret_cgroups = steal_ptr(cgroups);
	return 0;
}

void cgroups_destroy(struct cgroups *cgroups)
{
	if (!cgroups)
		return;
	if (cgroups->socket >= 0)
		(void)close(cgroups->socket);
	ring_close(&cgroups->ring);
	free(cgroups);
}

/* --- the ring --- */

static void take_ring(struct cgroups *cgroups)
{
	const struct ring_cgroup *record;
	size_t length;

	(void)ring_aim(&cgroups->ring);
	while ((record = ring_next(&cgroups->ring, &length)))
		if (length >= sizeof(*record))
			cgroup_table_take(cgroups->table, record);
	ring_release(&cgroups->ring);
}

void cgroups_take(struct cgroups *cgroups)
{
	cgroup_table_pass(cgroups->table);
	take_ring(cgroups);
	if (cgroups->asked || probe_cgroups_lost(cgroups->probe) == cgroups->lost)
		return;
	cgroups->lost = probe_cgroups_lost(cgroups->probe);
	cgroups->left++;
	ask(cgroups);
}

/* --- the list --- */

static void take_answer(struct cgroups *cgroups, int32_t error)
{
	take_ring(cgroups);
	cgroups->asked = false;
	cgroups->listed = !error;
	if (cgroups->listed)
		cgroup_table_end_list(cgroups->table);
}

static void listen_once(struct cgroups *cgroups, int timeout_ms)
{
	int32_t error;
	ssize_t got = packet_receive(cgroups->socket, &error, sizeof(error), timeout_ms, NULL);

	if (got == sizeof(error)) {
		take_answer(cgroups, error);
	} else if (got != -ETIMEDOUT || clocks_now() - cgroups->asked_at >= DEADLINE_CGROUPS * MILLISECOND) {
		helper_leave(cgroups);
		ask(cgroups);
	}
}

bool cgroups_step(struct cgroups *cgroups, unsigned int budget_ms)
{
	uint64_t end = clocks_now() + budget_ms * MILLISECOND;

	do {
		if (!cgroups->asked)
			return true;
		listen_once(cgroups, budget_ms ? 10 : 0);
	} while (clocks_now() < end);
	return !cgroups->asked;
}

bool cgroups_are_listed(const struct cgroups *cgroups)
{
	return cgroups->listed;
}
