/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A desk answers requests, which are bytes. The answer may come from this process, or from the
 * keeper (keeper.h): the process that asks does not see the difference. The one that serves must
 * not trust the bytes.
 */
#ifndef RWALKER_REPORT_SANDBOX_DESK_H
#define RWALKER_REPORT_SANDBOX_DESK_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { DESK_BYTES_MAX = 72 << 20 }; /* of a request and of an answer */

struct desk_answer {
	int result;	/* the desk's own: 0 or more, or -errno */
	int fd;		/* -1: none */
	uint8_t *bytes; /* new memory; NULL: none */
	size_t size;
};

struct desk {
	/* 0; -EPROTO: the request is malformed; -errno: nobody could be asked. The answer is empty at the call. */
	int (*serve)(void *context, const void *request, size_t size, struct desk_answer *answer);
	void *context;
};

static inline void desk_answer_deinit(struct desk_answer *answer)
{
	free(answer->bytes);
	if (answer->fd >= 0)
		(void)close(answer->fd);
	*answer = (struct desk_answer){.fd = -1};
}

/* As serve(). The caller releases the answer, whatever the result. */
static inline int desk_ask(const struct desk *desk, const void *request, size_t size, struct desk_answer *ret_answer)
{
	*ret_answer = (struct desk_answer){.fd = -1};
	return desk->serve(desk->context, request, size, ret_answer);
}

#endif
