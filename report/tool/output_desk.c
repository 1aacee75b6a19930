/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/output_desk.h"

#include <errno.h>
#include <fcntl.h>

void output_desk_init(struct output_desk *desk, const char *path, bool force)
{
	*desk = (struct output_desk){.path = path, .output = {.fd = -1, .force = force}};
}

void output_desk_deinit(struct output_desk *desk)
{
	trace_output_close(&desk->output);
}

static int open_output(struct output_desk *desk, struct desk_answer *answer)
{
	int r = trace_output_open(desk->path, NULL, &desk->output);

	desk->used = true;
	if (r < 0)
		return r;
	answer->fd = fcntl(desk->output.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return answer->fd < 0 ? -errno : 0;
}

static int serve(void *context, const void *request, size_t size, struct desk_answer *answer)
{
	struct output_desk *desk = context;
	const uint8_t number = size == 1 ? *(const uint8_t *)request : 0;

	switch (number) {
	case TRACE_OUTPUT_OPEN:
		if (!desk->path || desk->used)
			return -EPROTO;
		answer->result = open_output(desk, answer);
		return 0;
	case TRACE_OUTPUT_KEEP:
		if (desk->output.fd < 0)
			return -EPROTO;
		answer->result = trace_output_keep(&desk->output);
		return 0;
	case TRACE_OUTPUT_DISCARD:
		trace_output_close(&desk->output);
		return 0;
	default:
		return -EPROTO;
	}
}

struct desk output_desk_of(struct output_desk *desk)
{
	return (struct desk){.serve = serve, .context = desk};
}
