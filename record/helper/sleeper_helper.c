/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/sleeper_helper.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/packet.h"
#include "record/plan/deadlines.h"

enum { RING_FULL_MS = 1 };

/* The signal kills the helper: it ends a sleep in the kernel that nothing else ends. */
static void alarm_in(unsigned int ms)
{
	const struct itimerval timer = {.it_value = {.tv_usec = (suseconds_t)ms * 1000}};

	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

/* The ring is full. Waits a moment; false if the reader has given up. */
static bool is_awaited(int socket)
{
	struct pollfd entry = {.fd = socket};

	(void)poll(&entry, 1, RING_FULL_MS);
	return !(entry.revents & (POLLHUP | POLLERR));
}

/* Each read returns after one target, because no more of the program's output fits. */
static int read_all(int fd, int socket)
{
	uint64_t done;
	ssize_t got;

	do {
		alarm_in(DEADLINE_SLEEPER);
		got = read(fd, &done, sizeof(done));
	} while (got > 0 || (got < 0 && errno == EAGAIN && is_awaited(socket)));
	alarm_in(0);
	return got < 0 ? -errno : 0;
}

int sleeper_helper_run(int socket)
{
	for (;;) {
		_cleanup_close_ int fd = -1;
		int32_t reply;
		uint8_t request;

		if (packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, &fd) != sizeof(request))
			return 0;
		reply = read_all(fd, socket);
		if (packet_send(socket, &reply, sizeof(reply), -1))
			return 0;
	}
}
