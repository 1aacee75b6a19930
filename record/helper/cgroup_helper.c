/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/cgroup_helper.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/packet.h"

struct answer {
	struct cgroup_reply reply;
	uint8_t bytes[PACKET_MAX - sizeof(struct cgroup_reply)];
};

static int send_all(int fd, int socket, struct answer *answer)
{
	ssize_t got;
	int r = 0;

	do {
		do
			got = read(fd, answer->bytes, sizeof(answer->bytes));
		while (got < 0 && (errno == EAGAIN || errno == EINTR));
		answer->reply = (struct cgroup_reply){.error = got < 0 ? -errno : 0, .last = got <= 0};
		r = packet_send(socket, answer, sizeof(answer->reply) + (got > 0 ? (size_t)got : 0), -1);
	} while (!r && got > 0);
	return r;
}

int cgroup_helper_run(int socket)
{
	_cleanup_free_ struct answer *answer = calloc(1, sizeof(*answer));
	uint8_t request;
	int r = answer ? 0 : -ENOMEM;

	while (!r) {
		_cleanup_close_ int fd = -1;

		if (packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, &fd) != sizeof(request))
			return 0;
		r = send_all(fd, socket, answer);
	}
	return r;
}
