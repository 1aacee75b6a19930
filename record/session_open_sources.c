/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The second half of opening a session: what delivers events, and what takes them from the rings into the log. */
#include "record/session_internal.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "record/cgroup/cgroup_table.h"
#include "record/cgroup/cgroups.h"
#include "record/machine/host.h"
#include "record/place/sideband.h"
#include "record/probe/probe.h"
#include "record/source/wait_objects.h"
#include "record/source/walk_users.h"

/* These return NULL for a part that is not wanted, and the address of one that is, even before it is opened. */
static struct waits *waits_of(struct session *session)
{
	return session->config->offcpu.wanted ? &session->waits : NULL;
}

static struct point_events *points_of(struct session *session)
{
	return session->config->points.count ? &session->point_events : NULL;
}

static struct snapshots *snapshots_of(struct session *session)
{
	return session->config->snapshots ? &session->snapshots : NULL;
}

static int open_cpu_source(struct session *session)
{
	const struct record_profile *profile = &session->config->profile;
	const struct perf_event_settings settings = {
		.frequency = (uint64_t)profile->frequency,
		.software = profile->software,
		.spawner = session->spawner,
	};

	if (!profile->wanted)
		return 0;
	return perf_events_open(&session->events, &session->cpus, &settings, probe_cpu_program(session->probe));
}

static void close_cpu_source(struct session *session)
{
	perf_events_close(&session->events);
}

static int watch(struct session *session, int fd, uint32_t how)
{
	struct epoll_event event = {.events = EPOLLIN | how, .data.fd = fd};

	return epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int watch_rings(struct session *session, uint32_t first)
{
	int r = 0;

	for (uint32_t i = first; !r && i < probe_rings(session->probe); i++)
		r = watch(session, probe_ring_fd(session->probe, i), EPOLLET); /* edge-triggered: not empty now */
	return r;
}

void session_follow_cpus(struct session *session)
{
	uint32_t rings = probe_rings(session->probe);
	struct cpu_set online;

	if (cpus_online_all(&session->cpus, &online) < 0 || !probe_follow_cpus(session->probe, &online))
		return;
	if (drain_follow(&session->drain, session->probe) < 0 || watch_rings(session, rings) < 0)
		session->recording.stop = RECORDING_FAILED;
}

/* Nothing is taken from the rings before all parts that handle it are open. */
static int open_drain(struct session *session)
{
	int r = drain_open(&session->drain, &session->recording, session->probe, &session->filter, session->ring_bytes);

	if (r < 0)
		return r;
	drain_connect(&session->drain, waits_of(session), points_of(session), snapshots_of(session));
	session->drain.samples.period = session->events.period;
	session->drain.cgroups = session->cgroups;
	session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (session->epoll_fd < 0)
		return -errno;
	r = watch(session, session->recording.signal_fd, 0);
	if (!r)
		r = watch_rings(session, 0);
	return r ? r : sideband_wake(session->recording.sideband, session->epoll_fd);
}

static void close_drain(struct session *session)
{
	if (session->epoll_fd >= 0)
		(void)close(session->epoll_fd);
	drain_close(&session->drain);
}

static int open_snapshots(struct session *session)
{
	if (!session->config->snapshots)
		return 0;
	return snapshots_init(&session->snapshots, &session->recording, &session->filter);
}

static void close_snapshots(struct session *session)
{
	snapshots_deinit(&session->snapshots);
}

static int open_users(struct session *session)
{
	if (!session_wants_sleepers(session->config))
		return 0;
	return walk_users_create(&session->recording, session->probe, session->spawner, &session->users);
}

static void close_users(struct session *session)
{
	walk_users_destroy(session->users);
}

/* Waits and walks number their objects together. */
static int open_objects(struct session *session)
{
	const bool waits = probe_wait_objects(session->probe), walks = probe_walk_objects(session->probe);
	int r = waits || walks ? wait_objects_create(&session->recording, &session->objects) : 0;

	if (!r && waits)
		wait_objects_share(session->objects, probe_wait_names_forgotten(session->probe));
	if (!r && walks)
		wait_objects_share(session->objects, probe_walk_names_forgotten(session->probe));
	return r;
}

static void close_objects(struct session *session)
{
	wait_objects_destroy(session->objects);
}

static int open_waits(struct session *session)
{
	int r;

	if (!waits_of(session))
		return 0;
	session->waits = (struct waits){
		.recording = &session->recording,
		.probe = session->probe,
		.filter = &session->filter,
		.snapshots = snapshots_of(session),
		.objects = probe_wait_objects(session->probe) ? session->objects : NULL,
		.drain = &session->drain,
		.unended = {.recording = &session->recording, .users = session->users, .source = SOURCE_ID_OFFCPU},
	};
	r = waits_init(&session->waits);
	return r < 0 ? r : waits_open(&session->waits);
}

static void close_waits(struct session *session)
{
	waits_deinit(&session->waits);
}

static int open_point_events(struct session *session)
{
	if (!points_of(session))
		return 0;
	session->point_events = (struct point_events){
		.recording = &session->recording,
		.probe = session->probe,
		.filter = &session->filter,
		.points = &session->points,
		.snapshots = snapshots_of(session),
		.first_source = SOURCE_ID_POINTS,
	};
	return point_events_init(&session->point_events);
}

static void close_point_events(struct session *session)
{
	point_events_deinit(&session->point_events);
}

static int open_streams(struct session *session)
{
	return streams_init(&session->streams, &session->recording, session->probe, &session->cpus, session->spawner);
}

static void close_streams(struct session *session)
{
	streams_deinit(&session->streams);
}

static int open_walk(struct session *session)
{
	session->walk = (struct walk){
		.recording = &session->recording,
		.probe = session->probe,
		.filter = &session->filter,
		.source = SOURCE_ID_TASKS,
		.drain = &session->drain,
		.users = session->users,
		.objects = session->objects,
	};
	return walk_init(&session->walk);
}

static void close_walk(struct session *session)
{
	walk_deinit(&session->walk);
}

static int open_loss(struct session *session)
{
	session->loss = (struct loss){
		.recording = &session->recording,
		.probe = session->probe,
		.events = session->config->profile.wanted ? &session->events : NULL,
		.drain = &session->drain,
		.files = session->files,
		.waits = waits_of(session),
		.points = points_of(session),
		.streams = &session->streams,
		.cpu_source = SOURCE_ID_CPU,
		.waits_source = SOURCE_ID_OFFCPU,
		.wakers_source = SOURCE_ID_WAKERS,
	};
	return loss_init(&session->loss);
}

static void close_loss(struct session *session)
{
	loss_deinit(&session->loss);
}

static const struct session_part parts[] = {
	{.open = open_cpu_source, .close = close_cpu_source},
	{.open = open_drain, .close = close_drain},
	{.open = open_snapshots, .close = close_snapshots},
	{.open = open_users, .close = close_users},
	{.open = open_objects, .close = close_objects},
	{.open = open_waits, .close = close_waits},
	{.open = open_point_events, .close = close_point_events},
	{.open = open_streams, .close = close_streams},
	{.open = open_walk, .close = close_walk},
	{.open = open_loss, .close = close_loss},
};

int session_open_sources(struct session *session)
{
	return session_open_parts(session, parts, sizeof(parts) / sizeof(parts[0]));
}

void session_close_sources(struct session *session)
{
	session_close_parts(session, parts, sizeof(parts) / sizeof(parts[0]));
}

/* --- control groups --- */

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
		r = cgroups_create(recording->cgroups, session->probe, session->spawner, &session->cgroups);
	return r;
}

void session_close_cgroups(struct session *session)
{
	cgroups_destroy(session->cgroups);
	cgroup_table_destroy(session->recording.cgroups);
}
