/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a process owes the other end of a connection an answer. A server does, if it has accepted
 * the connection, if what was sent last came from the client, and if it does not wait for more. That
 * a client does not wait for its server means nothing.
 *
 * The last condition tells a server at work from one that waits for the next request. Nobody may be
 * in the socket's wait queue, or there is something to read that nobody reads. If the sleeping
 * thread is the only one of its process, an epoll in the queue does not count, as long as no thread
 * waits for the epoll.
 */
#ifndef RWALKER_BPF_OBJECT_STREAM_H
#define RWALKER_BPF_OBJECT_STREAM_H

#include "bpf/kernel_streams.bpf.h"
#include "bpf/object_readable.bpf.h"

enum { SOCKET_CONNECTED = 1, STREAM_WAITERS = 4 /* that are looked at */ };
enum stream_process { PROCESS_STOPPED = 1, PROCESS_ALONE = 2 /* it has one thread only, which sleeps elsewhere */ };

static __always_inline bool is_empty(u64 queue)
{
	u64 head = queue + bpf_core_field_offset(struct wait_queue_head, head);

	return (u64)OBJECT_READ(wait_queue_head, queue, head.next) == head;
}

/* An entry of the file's wait queue that belongs to an epoll for which no thread waits. */
static __always_inline bool is_left_alone(u64 entry, u64 file)
{
	u64 item = (u64)OBJECT_READ(eppoll_entry, entry - bpf_core_field_offset(struct eppoll_entry, wait.entry), base);
	u64 poll;

	if (!item || as_number(OBJECT_READ(epitem, item, ffd.file)) != file)
		return false;
	poll = (u64)OBJECT_READ(epitem, item, ep);
	return poll && is_empty(poll + bpf_core_field_offset(struct eventpoll, wq)) &&
	       is_empty(poll + bpf_core_field_offset(struct eventpoll, poll_wait));
}

enum stream_waiters { WAITED_FOR, LEFT_ALONE, NOBODY_WAITS };

static __always_inline enum stream_waiters stream_waiters(u64 sock, u64 file, u32 process)
{
	u64 queue = (u64)OBJECT_READ(sock___waited, sock, sk_wq), head, entry;

	if (!queue)
		return WAITED_FOR;
	head = queue + bpf_core_field_offset(struct socket_wq, wait.head);
	entry = (u64)OBJECT_READ(list_head, head, next);
	if (entry == head)
		return NOBODY_WAITS;
	for (u32 i = 0; i < STREAM_WAITERS && entry != head; i++) {
		if (!(process & PROCESS_ALONE) || !is_left_alone(entry, file))
			return WAITED_FOR;
		entry = (u64)OBJECT_READ(list_head, entry, next);
	}
	return entry == head ? LEFT_ALONE : WAITED_FOR;
}

/*
 * A TCP socket that was made for a connection that came in has the number of the interface it came
 * from where others have the one for multicasts, which is 0.
 */
static __always_inline bool tcp_was_accepted(u64 sock)
{
	u64 version6;

	if (OBJECT_READ(inet_sock, sock, mc_index))
		return true;
	version6 = (u64)OBJECT_READ(inet_sock, sock, pinet6);
	return version6 && OBJECT_READ(ipv6_pinfo, version6, mcast_oif);
}

/*
 * The other end has acknowledged all that was sent to it. If it did so without sending anything
 * itself, the segment began where the next one is expected; if it has sent something since, before that.
 */
static __always_inline bool tcp_has_received_last(u64 sock)
{
	u32 last = OBJECT_READ(tcp_sock, sock, snd_wl1), next = OBJECT_READ(tcp_sock, sock, rcv_nxt);

	return (s32)(next - last) > 0 &&
	       OBJECT_READ(tcp_sock, sock, snd_una) == OBJECT_READ(tcp_sock, sock, write_seq);
}

/* An accepted socket has the address at which its listener was reached; most clients have none. */
static __always_inline bool unix_was_accepted(u64 sock)
{
	u64 peer = (u64)OBJECT_READ(unix_sock, sock, peer);

	return peer && OBJECT_READ(unix_sock, sock, addr) && !OBJECT_READ(unix_sock, peer, addr);
}

/*
 * A unix socket does not tell who sent last. If it is in an epoll that was left alone, so are the
 * others in there, and only if it is the only one, it must be the one that is worked for.
 */
enum stream_owed { NOT_OWED, OWED, OWED_IF_ALONE };

static __always_inline enum stream_owed unix_is_owed(u64 sock, u64 file, u32 process)
{
	enum stream_waiters waiters;

	if (!unix_was_accepted(sock) || process & PROCESS_STOPPED)
		return NOT_OWED;
	if (is_readable(file))
		return OWED;
	waiters = stream_waiters(sock, file, process);
	return waiters == NOBODY_WAITS ? OWED : waiters == LEFT_ALONE ? OWED_IF_ALONE : NOT_OWED;
}

static __always_inline enum stream_owed tcp_is_owed(u64 sock, u64 file, u32 process)
{
	if (!tcp_has_received_last(sock) || !tcp_was_accepted(sock))
		return NOT_OWED;
	if (process & PROCESS_STOPPED || is_readable(file) || stream_waiters(sock, file, process) != WAITED_FOR)
		return OWED;
	return NOT_OWED;
}

/*
 * Returns enum stream_owed. process: enum stream_process; if it is stopped, nobody reads, whoever
 * is in the queue. What most connections lack is asked first: there may be thousands.
 */
SEPARATE int file_is_owed(u64 file, u32 process)
{
	u64 inode = (u64)OBJECT_READ(file, file, f_inode), socket, sock;

	if ((OBJECT_READ(inode, inode, i_mode) & S_IFMT) != S_IFSOCK)
		return NOT_OWED;
	socket = (u64)OBJECT_READ(file, file, private_data);
	sock = (u64)OBJECT_READ(socket, socket, sk);
	if (!sock || OBJECT_READ(sock, sock, sk_type) != SOCK_STREAM ||
	    OBJECT_READ(sock, sock, __sk_common.skc_state) != SOCKET_CONNECTED)
		return NOT_OWED;
	if (process & PROCESS_STOPPED && is_readable(file))
		return OWED;
	if (OBJECT_READ(sock, sock, sk_protocol) == IPPROTO_TCP)
		return tcp_is_owed(sock, file, process);
	if (OBJECT_READ(sock, sock, __sk_common.skc_family) != AF_UNIX)
		return NOT_OWED;
	return unix_is_owed(sock, file, process);
}

#endif
