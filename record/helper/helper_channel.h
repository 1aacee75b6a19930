/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One helper process with at most one request under way. It is created when it is first needed,
 * and again after one got stuck or died, until that has happened HELPER_MAX_STUCK times. Closing
 * the channel ends the helper.
 */
#ifndef RWALKER_RECORD_HELPER_HELPER_CHANNEL_H
#define RWALKER_RECORD_HELPER_HELPER_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/helper/nursery.h"

enum { HELPER_MAX_STUCK = 4 };

struct helper_channel {
	struct nursery *nursery;
	enum helper_kind kind;
	int socket; /* -1: none */
	pid_t pid;
	uint32_t busy;	/* token of the request under way, 0: none */
	uint32_t tgid;	/* whose file is being opened; 0: nobody's */
	uint64_t since; /* CLOCK_MONOTONIC ns */
	unsigned int stuck;
};

void helper_channel_close(struct helper_channel *channel);

/* Whether there is a helper. Starts one if needed. */
bool helper_channel_ready(struct helper_channel *channel);

/* Only after helper_channel_ready(), and if it is not busy. False: the helper is given up. */
bool helper_channel_send(struct helper_channel *channel, uint32_t token, const void *bytes, size_t length, int fd);

/* Whether a helper that was asked at `since` may still answer: deadlines.h. */
bool helper_has_time(pid_t pid, uint64_t since);

/* As packet_receive(), for a helper; one that somebody has stopped (SIGSTOP) is waited for DEADLINE_PROCESS only. */
ssize_t helper_receive(int socket, pid_t pid, void *bytes, size_t room, int timeout_ms, int *ret_fd);

/*
 * The answer's length; 0: not yet, and timeout_ms is 0; -1: the helper is given up, after
 * timeout_ms, or when it has no more time. ret_fd: as for packet_receive().
 */
ssize_t helper_channel_take(struct helper_channel *channel, void *bytes, size_t room, int timeout_ms, int *ret_fd);

#endif
