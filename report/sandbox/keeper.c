/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/sandbox/keeper.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "common/cleanup.h"
#include "common/unconst.h"

struct header {
	uint32_t number; /* of the desk; in an answer, the desk's result */
	uint32_t size;	 /* of the bytes that follow */
};

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* --- bytes --- */

static int send_all(int socket, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size) {
		ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return -errno;
		at += sent;
		size -= (size_t)sent;
	}
	return 0;
}

/* 1; 0: the other side is gone, with nothing left of what it sent. */
static int receive_all(int socket, void *bytes, size_t size)
{
	uint8_t *at = bytes;
	size_t left = size;

	while (left) {
		ssize_t got = recv(socket, at, left, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return left == size ? 0 : -EPIPE;
		at += got;
		left -= (size_t)got;
	}
	return 1;
}

static int receive_bytes(int socket, size_t size, uint8_t **ret_bytes)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	int r;

	if (size > DESK_BYTES_MAX)
		return -EPROTO;
	bytes = size ? malloc(size) : NULL;
	if (size && !bytes)
		return -ENOMEM;
	r = size ? receive_all(socket, bytes, size) : 1;
	if (r <= 0)
		return r < 0 ? r : -EPIPE;
	*ret_bytes = steal_ptr(bytes);
	return 0;
}

/* --- headers, which carry the descriptor --- */

static int send_header(int socket, const struct header *header, int fd)
{
	union control control = {0};
	struct iovec part = {unconst(header), sizeof(*header)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.align = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
						 .cmsg_len = CMSG_LEN(sizeof(fd))};
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	}
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return -errno;
	return sent == sizeof(*header) ? 0 : -EPIPE; /* so little is never split while the buffer is empty */
}

static int fd_of(struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/* 1; 0: the other side is gone. */
static int receive_header(int socket, struct header *ret_header, int *ret_fd)
{
	union control control;
	struct iovec part = {ret_header, sizeof(*ret_header)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
				 .msg_controllen = CMSG_LEN(sizeof(int))}; /* CMSG_SPACE() has room for two */
	ssize_t got;

	do
		got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	*ret_fd = fd_of(&message);
	if (got == sizeof(*ret_header))
		return 1;
	return got ? -EPIPE : 0;
}

/* --- the worker --- */

static int ask(void *context, const void *request, size_t size, struct desk_answer *answer)
{
	const struct keeper_desk *far = context;
	struct header header = {far->number, (uint32_t)size};
	int r = size > DESK_BYTES_MAX ? -E2BIG : send_header(far->socket, &header, -1);

	if (!r)
		r = send_all(far->socket, request, size);
	if (r < 0)
		return r;
	r = receive_header(far->socket, &header, &answer->fd);
	if (r <= 0)
		return r < 0 ? r : -EPIPE;
	answer->result = (int)header.number;
	answer->size = header.size;
	return receive_bytes(far->socket, header.size, &answer->bytes);
}

struct desk keeper_desk_far(struct keeper_desk *far)
{
	return (struct desk){.serve = ask, .context = far};
}

/* --- the keeper --- */

int keeper_line_open(int ret_ends[static 2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ret_ends) < 0 ? -errno : 0;
}

static int send_answer(int socket, const struct desk_answer *answer)
{
	const struct header header = {(uint32_t)answer->result, (uint32_t)answer->size};
	int r = answer->size > DESK_BYTES_MAX ? -E2BIG : send_header(socket, &header, answer->fd);

	return r < 0 ? r : send_all(socket, answer->bytes, answer->size);
}

static int serve_one(int socket, const struct header *header, const struct desk *desks, size_t count)
{
	_cleanup_free_ uint8_t *request = NULL;
	_cleanup_(desk_answer_deinit) struct desk_answer answer = {.fd = -1};
	int r = header->number < count ? receive_bytes(socket, header->size, &request) : -EPROTO;

	if (!r)
		r = desk_ask(&desks[header->number], request, header->size, &answer);
	if (!r)
		r = send_answer(socket, &answer);
	return r < 0 ? r : 1;
}

int keeper_serve(int socket, const struct desk *desks, size_t count)
{
	struct header header;
	int fd = -1, r = receive_header(socket, &header, &fd);

	if (fd >= 0) /* nobody sends us one */
		(void)close(fd);
	if (r > 0)
		r = serve_one(socket, &header, desks, count);
	if (r == -EPIPE || r == -ECONNRESET)
		return 0;
	return r;
}
