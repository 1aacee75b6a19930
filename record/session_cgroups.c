/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The session's control groups. */
#include "record/session_internal.h"

#include "record/cgroup/cgroup_table.h"
#include "record/cgroup/cgroups.h"
#include "record/machine/host.h"
#include "record/probe/probe.h"

/* None of this is needed before the first event of a task. */
int session_open_cgroups(struct session *session)
{
	struct recording *recording = &session->recording;
	int r;

	if (session->config->no_cgroups)
		return 0;
	session->has_cgroups_v1 = host_has_cgroups_v1(); /* later, there may be no right to look */
	r = cgroup_table_create(recording, &recording->cgroups);
	if (r >= 0 && probe_cgroups_ring(session->probe) >= 0)
		r = cgroups_create(recording->cgroups, session->probe, session->nursery, &session->cgroups);
	return r;
}

void session_close_cgroups(struct session *session)
{
	cgroups_destroy(session->cgroups);
	cgroup_table_destroy(session->recording.cgroups);
}
