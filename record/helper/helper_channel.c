/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/helper_channel.h"

#include <errno.h>
#include <unistd.h>

#include "common/packet.h"
#include "common/process_state.h"
#include "common/time_units.h"
#include "record/machine/clocks.h"
#include "record/plan/deadlines.h"

void helper_channel_close(struct helper_channel *channel)
{
	if (channel->socket >= 0)
		(void)close(channel->socket);
	channel->socket = -1;
	channel->busy = 0;
}

bool helper_channel_ready(struct helper_channel *channel)
{
	if (channel->socket >= 0 || channel->stuck >= HELPER_MAX_STUCK)
		return channel->socket >= 0;
	if (nursery_spawn(channel->nursery, channel->kind, &channel->socket, &channel->pid)) {
		channel->socket = -1;
		channel->stuck++;
	}
	return channel->socket >= 0;
}

bool helper_channel_send(struct helper_channel *channel, uint32_t token, const void *bytes, size_t length, int fd)
{
	if (packet_send(channel->socket, bytes, length, fd)) {
		channel->stuck++;
		nursery_leave(channel->nursery, channel->pid);
		helper_channel_close(channel);
		return false;
	}
	channel->busy = token;
	channel->since = clocks_now();
	return true;
}

bool helper_has_time(pid_t pid, uint64_t since)
{
	uint64_t passed = clocks_now() - since;

	return passed < DEADLINE_PROCESS * MILLISECOND ||
	       (passed < DEADLINE_BUSY * MILLISECOND && process_is_runnable(pid));
}

ssize_t helper_receive(int socket, pid_t pid, void *bytes, size_t room, int timeout_ms, int *ret_fd)
{
	ssize_t got;

	do {
		const int part = timeout_ms < DEADLINE_PROCESS ? timeout_ms : DEADLINE_PROCESS;

		got = packet_receive(socket, bytes, room, part, ret_fd);
		timeout_ms -= part;
	} while (got == -ETIMEDOUT && timeout_ms > 0 && !process_is_stopped(pid));
	return got;
}

ssize_t helper_channel_take(struct helper_channel *channel, void *bytes, size_t room, int timeout_ms, int *ret_fd)
{
	/* checked first: the helper may answer and go to sleep meanwhile */
	bool has_time = !timeout_ms && helper_has_time(channel->pid, channel->since);
	ssize_t got = helper_receive(channel->socket, channel->pid, bytes, room, timeout_ms, ret_fd);

	if (got > 0) {
		channel->busy = 0;
		return got;
	}
	if (got == -ETIMEDOUT && has_time)
		return 0;
	channel->stuck++;
	nursery_leave(channel->nursery, channel->pid);
	helper_channel_close(channel);
	return -1;
}
