/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/gate/packet.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/unconst.h"

int packet_send(int socket, const void *bytes, size_t length, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {unconst(bytes), length};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	if (fd >= 0) {
		struct cmsghdr *header;

		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

static int fd_of(struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

static int wait_readable(int socket, int timeout_ms)
{
	struct pollfd entry = {.fd = socket, .events = POLLIN};
	int ready;

	do
		ready = poll(&entry, 1, timeout_ms);
	while (ready < 0 && errno == EINTR && timeout_ms == PACKET_FOREVER);
	if (ready < 0)
		return -errno;
	return ready ? 0 : -ETIMEDOUT;
}

ssize_t packet_receive(int socket, void *bytes, size_t room, int timeout_ms, int *ret_fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = {bytes, room};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = CMSG_LEN(sizeof(int))}; /* CMSG_SPACE() has room for two */
	ssize_t received;
	int fd, rc = wait_readable(socket, timeout_ms);

	if (rc)
		return rc;
	do
		received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (received < 0 && errno == EINTR);
	if (received < 0)
		return -errno;
	fd = fd_of(&message);
	if (ret_fd)
		*ret_fd = fd;
	else if (fd >= 0)
		(void)close(fd);
	return received;
}

static size_t piece_of(size_t left)
{
	return left < PACKET_MAX ? left : PACKET_MAX;
}

int packet_send_bytes(int socket, const void *bytes, size_t size)
{
	int r = 0;

	for (size_t at = 0; !r && at < size; at += piece_of(size - at))
		r = packet_send(socket, (const uint8_t *)bytes + at, piece_of(size - at), -1);
	return r;
}

int packet_receive_bytes(int socket, void *bytes, size_t size, int timeout_ms)
{
	for (size_t at = 0; at < size; at += piece_of(size - at)) {
		const ssize_t got = packet_receive(socket, (uint8_t *)bytes + at, piece_of(size - at), timeout_ms, NULL);

		if (got <= 0)
			return got ? (int)got : -EPIPE;
		if ((size_t)got != piece_of(size - at))
			return -EPROTO;
	}
	return 0;
}
