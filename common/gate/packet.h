/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One message between two processes, with or without a file descriptor, over a SOCK_SEQPACKET
 * pair. A message arrives whole or not at all. A receiver waits at most as long as it says.
 */
#ifndef RWALKER_COMMON_GATE_PACKET_H
#define RWALKER_COMMON_GATE_PACKET_H

#include <stddef.h>
#include <sys/types.h>

enum { PACKET_MAX = 32 << 10,
       PACKET_FOREVER = -1 };

/* fd -1: none is sent; the caller keeps the fd. 0, -EAGAIN (the other side does not read), -EPIPE, -errno. */
int packet_send(int socket, const void *bytes, size_t length, int fd);

/*
 * Waits up to timeout_ms (PACKET_FOREVER: no limit). Returns the number of bytes, 0: the other side
 * is gone; -ETIMEDOUT, -errno. *ret_fd (may be NULL: a received fd is closed) is -1 if none was
 * received; it belongs to the caller.
 */
ssize_t packet_receive(int socket, void *bytes, size_t room, int timeout_ms, int *ret_fd);

/* Any number of bytes, in packets that are full but the last. 0, as packet_send(). */
int packet_send_bytes(int socket, const void *bytes, size_t size);
/* Just so many; timeout_ms: for each packet. 0; -EPROTO: packets of another size; -EPIPE, as packet_receive(). */
int packet_receive_bytes(int socket, void *bytes, size_t size, int timeout_ms);

#endif
