/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/gate/helper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "common/time_units.h"

void helper_close(struct helper *helper)
{
	if (helper->socket >= 0)
		(void)close(helper->socket);
	helper->socket = -1;
	helper->busy = 0;
}

void helper_give_up(struct helper *helper)
{
	if (helper->socket >= 0)
		spawner_leave(helper->spawner, helper->pid);
	helper_close(helper);
	helper->stuck++;
}

bool helper_ready(struct helper *helper)
{
	if (helper->socket >= 0 || helper->stuck >= HELPER_MAX_STUCK)
		return helper->socket >= 0;
	if (spawner_start(helper->spawner, helper->kind, &helper->socket, &helper->pid)) {
		helper->socket = -1;
		helper->stuck++;
	}
	return helper->socket >= 0;
}

void helper_heard(struct helper *helper)
{
	helper->since = clock_now(CLOCK_MONOTONIC);
}

bool helper_send(struct helper *helper, uint32_t token, const void *bytes, size_t length, int fd)
{
	if (packet_send(helper->socket, bytes, length, fd)) {
		helper_give_up(helper);
		return false;
	}
	helper->busy = token;
	helper_heard(helper);
	return true;
}

/* As in proc(5): 'R', 'S' ...; 0: unknown. */
static char state_of(pid_t pid)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], text[256];
	const char *state;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	state = file && fgets(text, sizeof(text), file) ? strrchr(text, ')') : NULL;
	return state && state[1] == ' ' ? state[2] : '\0';
}

bool helper_is_stopped(const struct helper *helper)
{
	const char state = state_of(helper->pid);

	return state == 'T' || state == 't';
}

/* One that is late because it waits for nothing but a CPU is not stuck. */
bool helper_has_time(const struct helper *helper)
{
	const struct helper_kind *kind = spawner_kind(helper->spawner, helper->kind);
	const uint64_t passed_ms = (clock_now(CLOCK_MONOTONIC) - helper->since) / MILLISECOND;

	return passed_ms < kind->deadline_ms || (passed_ms < kind->busy_ms && state_of(helper->pid) == 'R');
}

ssize_t helper_receive(const struct helper *helper, void *bytes, size_t room, int timeout_ms, int *ret_fd)
{
	const int most = (int)spawner_kind(helper->spawner, helper->kind)->deadline_ms;
	ssize_t got;

	do {
		const int part = timeout_ms < most ? timeout_ms : most;

		got = packet_receive(helper->socket, bytes, room, part, ret_fd);
		timeout_ms -= part;
	} while (got == -ETIMEDOUT && timeout_ms > 0 && !helper_is_stopped(helper));
	return got;
}

ssize_t helper_take(struct helper *helper, void *bytes, size_t room, int timeout_ms, int *ret_fd)
{
	/* checked first: the helper may answer and go to sleep meanwhile */
	bool has_time = !timeout_ms && helper_has_time(helper);
	ssize_t got = helper_receive(helper, bytes, room, timeout_ms, ret_fd);

	if (got > 0) {
		helper->busy = 0;
		return got;
	}
	if (got == -ETIMEDOUT && has_time)
		return 0;
	helper_give_up(helper);
	return got == -ETIMEDOUT ? -ETIMEDOUT : -EPIPE;
}
