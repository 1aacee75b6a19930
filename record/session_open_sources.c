/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The second half of opening a session: what delivers events, and what takes them from the rings into the log. */
#include "record/session_internal.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "record/host/host.h"
#include "record/place/cgroups.h"
#include "record/place/sideband.h"
#include "record/probe/probe.h"
#include "record/source/wait_objects.h"
#include "record/source/walk_users.h"

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
	int r = drain_open(&session->drain, &session->recording, session->probe, session->ring_bytes);

	if (r < 0)
		return r;
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

static void take_snapshot(void *snapshots, const struct ring_head *head, size_t length)
{
	snapshots_take(snapshots, head, length);
}

static int open_snapshots(struct session *session)
{
	if (!session->config->snapshots)
		return 0;
	drain_handle(&session->drain, RING_SNAPSHOT, take_snapshot, &session->snapshots);
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

static int open_each(struct session *session)
{
	const struct source_parts parts = {
		.recording = &session->recording,
		.probe = session->probe,
		.filter = &session->filter,
		.cpus = &session->cpus,
		.points = &session->points,
		.spawner = session->spawner,
		.drain = &session->drain,
		.snapshots = session->config->snapshots ? &session->snapshots : NULL,
		.users = session->users,
		.objects = session->objects,
	};
	int r = 0;

	for EACH_SOURCE(source, session)
		if (r >= 0)
			r = source->ops->open(source->self, &parts);
	return r;
}

static void close_each(struct session *session)
{
	for (size_t i = SESSION_SOURCES; i--;)
		session->sources[i].ops->close(session->sources[i].self);
}

static int open_streams(struct session *session)
{
	return streams_init(&session->streams, &session->recording, session->probe, &session->cpus, session->spawner);
}

static void close_streams(struct session *session)
{
	streams_deinit(&session->streams);
}

static int open_loss(struct session *session)
{
	session->loss = (struct loss){
		.recording = &session->recording,
		.probe = session->probe,
		.drain = &session->drain,
		.files = session->files,
		.streams = &session->streams,
	};
	return loss_init(&session->loss);
}

static void close_loss(struct session *session)
{
	loss_deinit(&session->loss);
}

static const struct session_part parts[] = {
	{.open = open_drain, .close = close_drain},
	{.open = open_snapshots, .close = close_snapshots},
	{.open = open_users, .close = close_users},
	{.open = open_objects, .close = close_objects},
	{.open = open_each, .close = close_each},
	{.open = open_streams, .close = close_streams},
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
