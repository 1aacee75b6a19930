/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/perf_open.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/packet.h"
#include "record/helper/nursery.h"
#include "record/plan/deadlines.h"

static int open_here(const struct perf_event_attr *attr, uint32_t cpu)
{
	struct perf_event_attr copy = *attr;
	int fd = (int)syscall(SYS_perf_event_open, &copy, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int ask_helper(struct nursery *nursery, const struct perf_event_attr *attr, uint32_t cpu)
{
	const struct perf_open_request request = {.attr = *attr, .cpu = cpu};
	_cleanup_close_ int socket = -1;
	int32_t error = 0;
	int fd = -1, r;
	pid_t pid;

	r = nursery_spawn(nursery, HELPER_PERF_OPEN, &socket, &pid);
	if (!r)
		r = packet_send(socket, &request, sizeof(request), -1);
	if (r < 0)
		return r;
	if (packet_receive(socket, &error, sizeof(error), DEADLINE_PERF_OPEN, &fd) != sizeof(error)) {
		nursery_leave(nursery, pid);
		return -ETIMEDOUT;
	}
	return error < 0 ? error : fd;
}

int perf_open(struct nursery *nursery, const struct perf_event_attr *attr, uint32_t cpu)
{
	int fd = open_here(attr, cpu);

	return nursery && (fd == -EACCES || fd == -EPERM) ? ask_helper(nursery, attr, cpu) : fd;
}

int perf_open_helper_run(int socket)
{
	struct perf_open_request request;
	int rc = 0;

	while (!rc && packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, NULL) == sizeof(request)) {
		_cleanup_close_ int fd = open_here(&request.attr, request.cpu);
		int32_t error = fd < 0 ? fd : 0;

		rc = packet_send(socket, &error, sizeof(error), fd < 0 ? -1 : fd);
	}
	return rc;
}
