/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A service answers requests, which are bytes. The answer may come from this process, or from
 * another one at the end of a line: who asks does not see the difference. The one that serves must
 * not trust the bytes.
 *
 * The reporter is two processes. The worker (worker.h) reads traces and the files of programs, and
 * prints: it may be taken over by what it reads, and is jailed. Its parent keeps the user's rights, and
 * uses them for the worker: for each thing that it does there is a service, and both know these by
 * their numbers.
 *
 *	worker: service_ask() ── request: number, size, bytes ──▶ parent: serve()
 *	                      ◀── answer: result, size, bytes, perhaps a descriptor ──
 *
 * A line is a packet socket (common/gate/packet.h), with one request at a time. An answer to a
 * process that has gone meanwhile is skipped by the next one that uses the line.
 */
#ifndef RWALKER_REPORT_SANDBOX_SERVICE_H
#define RWALKER_REPORT_SANDBOX_SERVICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { SERVICE_MOST = 72 << 20, /* bytes of a request and of an answer */
       SERVICE_MOST_SHORT = 8 << 10 }; /* of those that fit into one packet: nobody waits for their rest */

struct service_answer {
	int result;	/* the service's own: 0 or more, or -errno */
	int fd;		/* -1: none */
	uint8_t *bytes; /* new memory; NULL: none */
	size_t size;
};

struct service {
	/* 0; -EPROTO: the request is malformed; -errno: nobody could be asked. The answer is empty at the call. */
	int (*serve)(void *context, const void *request, size_t size, struct service_answer *answer);
	void *context;
};

static inline void service_answer_deinit(struct service_answer *answer)
{
	free(answer->bytes);
	if (answer->fd >= 0)
		(void)close(answer->fd);
	*answer = (struct service_answer){.fd = -1};
}

/* As serve(). The caller releases the answer, whatever the result. */
static inline int service_ask(const struct service *service, const void *request, size_t size,
			      struct service_answer *ret_answer)
{
	*ret_answer = (struct service_answer){.fd = -1};
	return service->serve(service->context, request, size, ret_answer);
}

/* A service of the process at the other end of a line. */
struct far_service {
	int line;
	uint32_t number;
	uint32_t last; /* request */
};

/* The service points to `far`, which must outlive it. */
struct service service_far(struct far_service *far);

/* Two ends of a line. 0, -errno. */
int service_line_open(int ret_ends[static 2]);

/*
 * Waits for one request of at most `most` bytes and answers it. 1; 0: the other end is closed; -EPROTO: it was
 * malformed; -errno.
 */
int service_serve(int line, const struct service *services, size_t count, size_t most);

#endif
