/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/gate/packet.h"
#include "common/hash.h"
#include "report/opener/open_checked.h"
#include "report/opener/opener_internal.h"

static uint64_t hash_of(const char *path)
{
	uint64_t hash = 1;

	for (; *path; path++)
		hash = hash_mix(hash ^ (unsigned char)*path);
	return hash ? hash : 1;
}

/* Also notes it, if it is new and there is room. */
static bool is_known(struct refusals *refusals, uint64_t hash)
{
	const uint32_t mask = (1u << REFUSALS_KNOWN_BITS) - 1;
	uint32_t slot = hash_slot(hash, REFUSALS_KNOWN_BITS);

	for (; refusals->known[slot]; slot = (slot + 1) & mask)
		if (refusals->known[slot] == hash)
			return true;
	if (refusals->known_count < mask / 4 * 3) {
		refusals->known[slot] = hash;
		refusals->known_count++;
	}
	return false;
}

void refusals_add(struct refusals *refusals, enum opener_reason reason, const char *path)
{
	char *example = refusals->examples[reason];
	size_t length = strlen(path);

	if (is_known(refusals, hash_of(path)))
		return;
	refusals->counts[reason]++;
	if (length < PATH_MAX && (!*example || strcmp(path, example) < 0))
		memcpy(example, path, length + 1);
}

struct worker {
	const struct opener_settings *settings;
	struct opener_shared *shared;
	struct mount_table mounts;
	struct checked_file file;
	struct opener_answer answer;
};

size_t opener_request_size(const struct opener_request *request)
{
	return offsetof(struct opener_request, path) + strlen(request->path) + 1;
}

size_t opener_answer_size(const struct opener_answer *answer)
{
	return offsetof(struct opener_answer, path) + strlen(answer->path) + 1;
}

static bool is_sound(const struct opener_request *request, ssize_t size)
{
	const ssize_t least = offsetof(struct opener_request, path);
	uint32_t count;

	if (size <= least)
		return false;
	count = request->question == OPENER_QUESTION_FILE ? OPENER_KINDS : OPENER_REASONS;
	return request->what < count && memchr(request->path, '\0', (size_t)(size - least)) != NULL;
}

/* --- answers --- */

static void copy_path(char to[static PATH_MAX], const char *path)
{
	memcpy(to, path, strlen(path) + 1);
}

static int open_file(struct worker *worker)
{
	struct opener_shared *shared = worker->shared;
	const struct opener_request *request = &shared->request;
	const struct walk_rules rules = {.settings = worker->settings,
					 .mounts = &worker->mounts,
					 .place = &shared->place,
					 .silent = shared->silent,
					 .silent_count = shared->silent_count};
	enum opener_kind kind = (enum opener_kind)request->what;
	int r;

	worker->file.fd = -1;
	if (kind == OPENER_NAMED && !walk_names_file(worker->settings, request->path))
		return -EPERM;
	if (kind != OPENER_NAMED && shared->timeouts >= OPENER_SILENT_MAX) {
		worker->file.reason = OPENER_NOT_ASKED;
		r = -EPERM;
	} else {
		r = open_checked(&rules, kind, request->path, &worker->file);
	}
	if (r == -EPERM && kind != OPENER_NAMED)
		refusals_add(&shared->refusals, worker->file.reason, request->path);
	if (!r)
		worker->answer.ours = worker->file.ours;
	if (!r || r == -ENOENT)
		copy_path(worker->answer.path, worker->file.real);
	return r;
}

static void tell_refusals(struct worker *worker)
{
	const struct refusals *refusals = &worker->shared->refusals;
	uint32_t reason = worker->shared->request.what;

	worker->answer.count = refusals->counts[reason];
	copy_path(worker->answer.path, refusals->examples[reason]);
}

/* If the monitor has answered instead, this worker is not needed any more. */
static void serve(struct worker *worker, const int channels[static OPENER_CHANNELS])
{
	struct opener_shared *shared = worker->shared;
	uint64_t work = atomic_load(&shared->work);

	worker->answer = (struct opener_answer){.number = shared->request.number};
	worker->file.fd = -1;
	if (shared->request.question == OPENER_QUESTION_FILE)
		worker->answer.error = open_file(worker);
	else
		tell_refusals(worker);
	if (!opener_end_work(shared, work))
		_exit(0);
	(void)packet_send(channels[shared->channel], &worker->answer, opener_answer_size(&worker->answer),
			  worker->file.fd);
	if (worker->file.fd >= 0)
		(void)close(worker->file.fd);
}

_Noreturn void opener_worker(const int channels[static OPENER_CHANNELS], const struct opener_settings *settings,
			     struct opener_shared *shared)
{
	struct worker worker = {.settings = settings, .shared = shared};
	struct pollfd entries[OPENER_CHANNELS];
	uint32_t open = OPENER_CHANNELS;

	for (size_t i = 0; i < OPENER_CHANNELS; i++)
		entries[i] = (struct pollfd){.fd = channels[i], .events = POLLIN};
	while (open) {
		if (poll(entries, OPENER_CHANNELS, -1) < 0 && errno != EINTR)
			_exit(1);
		for (uint32_t i = 0; i < OPENER_CHANNELS; i++) {
			struct opener_request *request = &shared->request;
			ssize_t size = entries[i].revents ?
				       packet_receive(channels[i], request, sizeof(*request), 0, NULL) : -EAGAIN;

			if (size == 0 || (size < 0 && size != -EAGAIN && size != -EINTR && size != -ETIMEDOUT)) {
				entries[i].fd = -1; /* the monitor knows */
				open--;
			}
			if (size <= 0 || !is_sound(request, size))
				continue;
			shared->channel = i;
			shared->since = clock_now(CLOCK_MONOTONIC);
			shared->place = (struct walk_place){0};
			opener_begin_work(shared);
			serve(&worker, channels);
		}
	}
	_exit(0);
}
