/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/service.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "common/cleanup.h"
#include "common/gate/packet.h"

/* The first packet of a message. The rest of the bytes, if there are more, follows in packets of their own. */
struct message {
	struct {
		uint64_t id; /* of a request; repeated in its answer */
		uint32_t number; /* of the service; in an answer, the service's result */
		uint32_t size;	 /* of all bytes */
	} head;
	uint8_t bytes[SERVICE_MOST_SHORT];
};

static int message_send(int line, uint64_t id, uint32_t number, const void *bytes, size_t size, int fd)
{
	struct message message = {.head = {id, number, (uint32_t)size}};
	const size_t first = size < sizeof(message.bytes) ? size : sizeof(message.bytes);
	int r;

	if (size > SERVICE_MOST)
		return -E2BIG;
	if (first)
		memcpy(message.bytes, bytes, first);
	r = packet_send(line, &message, sizeof(message.head) + first, fd);
	return r < 0 || first == size ? r : packet_send_bytes(line, (const uint8_t *)bytes + first, size - first);
}

/* 1, the bytes in new memory; 0: the other side is gone. ret_fd: as for packet_receive(). */
static int message_receive(int line, size_t most, struct message *message, uint8_t **ret_bytes, int *ret_fd)
{
	const ssize_t got = packet_receive(line, message, sizeof(*message), PACKET_FOREVER, ret_fd);
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size, first;
	int r = 0;

	if (got < (ssize_t)sizeof(message->head))
		return got > 0 ? -EPROTO : (int)got;
	size = message->head.size;
	first = size < sizeof(message->bytes) ? size : sizeof(message->bytes);
	if (size > most || (size_t)got != sizeof(message->head) + first)
		return -EPROTO;
	bytes = malloc(size + 1);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, message->bytes, first);
	if (first < size)
		r = packet_receive_bytes(line, bytes + first, size - first, PACKET_FOREVER);
	if (r < 0)
		return r;
	*ret_bytes = steal_ptr(bytes);
	return 1;
}

/* --- who asks --- */

static int ask(void *context, const void *request, size_t size, struct service_answer *answer)
{
	struct far_service *far = context;
	const uint64_t id = (uint64_t)getpid() << 32 | ++far->last;
	struct message message;
	int r = message_send(far->line, id, far->number, request, size, -1);

	while (r >= 0) {
		service_answer_deinit(answer);
		r = message_receive(far->line, SERVICE_MOST, &message, &answer->bytes, &answer->fd);
		if (r > 0 && message.head.id == id)
			break;
		r = r ? r : -EPIPE;
	}
	if (r < 0)
		return r;
	answer->result = (int)message.head.number;
	answer->size = message.head.size;
	return 0;
}

struct service service_far(struct far_service *far)
{
	return (struct service){.serve = ask, .context = far};
}

/* --- who serves --- */

int service_line_open(int ret_ends[static 2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret_ends) < 0 ? -errno : 0;
}

int service_serve(int line, const struct service *services, size_t count, size_t most)
{
	_cleanup_free_ uint8_t *request = NULL;
	_cleanup_(service_answer_deinit) struct service_answer answer = {.fd = -1};
	struct message message;
	int r = message_receive(line, most, &message, &request, NULL);

	if (r > 0 && message.head.number >= count)
		r = -EPROTO;
	if (r > 0)
		r = service_ask(&services[message.head.number], request, message.head.size, &answer);
	else if (!r)
		return 0;
	if (!r)
		r = message_send(line, message.head.id, (uint32_t)answer.result, answer.bytes, answer.size, answer.fd);
	if (r == -EPIPE || r == -ECONNRESET)
		return 0;
	return r < 0 ? r : 1;
}
