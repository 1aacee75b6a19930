/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/cgroup/cgroups.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/ring_cgroup.h"
#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "common/time_units.h"
#include "record/cgroup/cgroup_table.h"
#include "record/helper/helpers.h"
#include "record/helper/iterator_helper.h"
#include "record/machine/clocks.h"
#include "record/perf/ring.h"
#include "record/plan/deadlines.h"
#include "record/probe/probe.h"

struct cgroups {
	struct cgroup_table *table;
	const struct probe *probe;
	struct ring ring;
	struct helper helper; /* `stuck`: also how often the ring was too small */
	uint64_t lost;	      /* records of the ring */
	bool asked, listed;
};

static void helper_leave(struct cgroups *cgroups)
{
	helper_give_up(&cgroups->helper);
	cgroups->asked = false;
}

static void ask(struct cgroups *cgroups)
{
	_cleanup_close_ int fd = -1;
	const struct iterator_request request = {.what = ITERATOR_CGROUPS};

	if (cgroups->helper.stuck >= HELPER_MAX_STUCK || !helper_ready(&cgroups->helper))
		return;
	if (probe_cgroups_open(cgroups->probe, &fd) < 0) {
		helper_leave(cgroups);
		return;
	}
	if (!helper_send(&cgroups->helper, 1, &request, sizeof(request), fd))
		return;
	cgroups->asked = true;
	cgroups->listed = false;
	cgroup_table_begin_list(cgroups->table);
}

int cgroups_create(struct cgroup_table *table, const struct probe *probe, struct spawner *spawner,
		   struct cgroups **ret_cgroups)
{
	_cleanup_free_ struct cgroups *cgroups = calloc(1, sizeof(*cgroups));
	int r;

	if (!cgroups)
		return -ENOMEM;
	cgroups->table = table;
	cgroups->probe = probe;
	cgroups->helper = helper_of(spawner, HELPER_ITERATOR);
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
	helper_close(&cgroups->helper);
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
	cgroups->helper.stuck++;
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
	ssize_t got = packet_receive(cgroups->helper.socket, &error, sizeof(error), timeout_ms, NULL);

	if (got == sizeof(error)) {
		take_answer(cgroups, error);
	} else if (got != -ETIMEDOUT || clocks_now() - cgroups->helper.since >= DEADLINE_CGROUPS * MILLISECOND) {
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
