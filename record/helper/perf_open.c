/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/perf_open.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/helper/helpers.h"

struct request {
	struct perf_event_attr attr;
	uint32_t cpu, unused;
};

static int open_here(struct perf_event_attr attr, uint32_t cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int perf_open(struct spawner *spawner, const struct perf_event_attr *attr, uint32_t cpu)
{
	const struct request request = {.attr = *attr, .cpu = cpu};
	int fd = open_here(*attr, cpu);

	if (!spawner || (fd != -EACCES && fd != -EPERM))
		return fd;
	return spawner_do(spawner, HELPER_PERF_OPEN, &request, sizeof(request));
}

int perf_open_task(const void *bytes, size_t size)
{
	struct request request;

	if (size != sizeof(request))
		return -EINVAL;
	memcpy(&request, bytes, size);
	return open_here(request.attr, request.cpu);
}
