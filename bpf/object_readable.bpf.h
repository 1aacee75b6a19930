/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whether a file has something to read, as poll() would find it: for pipes, sockets, eventfds and timerfds. */
#ifndef RWALKER_BPF_OBJECT_READABLE_H
#define RWALKER_BPF_OBJECT_READABLE_H

#include "bpf/kernel_polls.bpf.h"
#include "bpf/object_descriptor.bpf.h"

enum { SHUT_FROM_PEER = 1, SOCKET_LISTENS = 10 };

static __always_inline bool socket_is_readable(u64 socket)
{
	u64 sock = (u64)OBJECT_READ(socket, socket, sk), queue;

	if (!sock)
		return false;
	if (OBJECT_READ(sock___ready, sock, sk_err) || OBJECT_READ(sock___ready, sock, sk_shutdown) & SHUT_FROM_PEER)
		return true;
	if (OBJECT_READ(sock, sock, sk_protocol) == IPPROTO_TCP &&
	    OBJECT_READ(sock, sock, __sk_common.skc_state) == SOCKET_LISTENS)
		return OBJECT_READ(inet_connection_sock, sock, icsk_accept_queue.rskq_accept_head);
	queue = (u64)OBJECT_READ(sock___ready, sock, sk_receive_queue.next);
	return queue && queue != sock + bpf_core_field_offset(struct sock___ready, sk_receive_queue) &&
	       OBJECT_READ(sock___ready, sock, sk_rcvlowat) <= 1;
}

static __always_inline bool pipe_is_readable(u64 pipe)
{
	return OBJECT_READ(pipe_inode_info, pipe, head) != OBJECT_READ(pipe_inode_info, pipe, tail);
}

static __always_inline bool anonymous_is_readable(u64 file, u64 data)
{
	switch (anonymous_kind_of(file)) {
	case RING_OBJECT_EVENTFD:
		return OBJECT_READ(eventfd_ctx, data, count);
	case RING_OBJECT_TIMERFD:
		return OBJECT_READ(timerfd_ctx, data, ticks);
	default:
		return false;
	}
}

SEPARATE int file_is_readable(u64 file)
{
	u64 data = (u64)OBJECT_READ(file, file, private_data), inode = (u64)OBJECT_READ(file, file, f_inode);
	u64 block = (u64)OBJECT_READ(inode, inode, i_sb);
	u32 mode = OBJECT_READ(inode, inode, i_mode) & S_IFMT;

	if (!data)
		return false;
	if (mode == S_IFSOCK)
		return socket_is_readable(data);
	if (mode == S_IFIFO)
		return pipe_is_readable(data);
	return OBJECT_READ(super_block, block, s_magic) == ANON_INODE_FS_MAGIC && anonymous_is_readable(file, data);
}

/* False if it is not readable, or not known to be. */
static __always_inline bool is_readable(u64 file)
{
	return file_is_readable(as_number((const void *)file));
}

#endif
