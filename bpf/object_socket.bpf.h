/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a socket's descriptor refers to: the two ends of the socket, as far as it is connected. */
#ifndef RWALKER_BPF_OBJECT_SOCKET_H
#define RWALKER_BPF_OBJECT_SOCKET_H

#include "bpf/kernel_sockets.bpf.h"
#include "bpf/object_name.bpf.h"

/* The name is a struct sockaddr_un, which begins with two bytes of family. */
static __always_inline void name_unix(struct object_room *room, u64 address, struct ring_object *object)
{
	enum { FAMILY_BYTES = 2, UNIX_BYTES = 108 };
	u32 length = OBJECT_READ(unix_address, address, len) - FAMILY_BYTES, at;
	u64 token = mix(mix(address, length), object->inode) | 1;
	u64 bytes = address + OFFSET_OF(struct unix_address, name) + FAMILY_BYTES;

	if (!length || length > UNIX_BYTES)
		return;
	object->token = token;
	if (name_is_told(token))
		return;
	at = (RING_NAME_BYTES - length) & (RING_NAME_BYTES - 1);
	bpf_probe_read_kernel(&room->name.bytes[at], length & (RING_NAME_BYTES / 2 - 1), (const void *)bytes);
	room->name.flags = room->name.bytes[at] ? 0 : OBJECT_ABSTRACT;
	room->name.length = length;
	room->name.token = token;
}

static __always_inline void unix_take(u64 sock, struct object_room *room, struct ring_object *object)
{
	u64 address, peer, socket;

	object->kind = OBJECT_UNIX;
	if (!kernel_has(RING_PART_UNIX))
		return;
	address = (u64)OBJECT_READ(unix_sock, sock, addr);
	peer = (u64)OBJECT_READ(unix_sock, sock, peer);
	socket = peer ? (u64)OBJECT_READ(sock, peer, sk_socket) : 0;
	if (socket)
		object->peer = OBJECT_READ(socket_alloc, socket, vfs_inode.i_ino);
	if (!address && peer)
		address = (u64)OBJECT_READ(unix_sock, peer, addr);
	if (address)
		name_unix(room, as_number((const void *)address), object);
}

static __always_inline void set_mapped(__u8 *address, u32 v4)
{
	u32 *words = (u32 *)address;

	words[0] = words[1] = 0;
	words[2] = __builtin_bswap32(0xffff);
	words[3] = v4;
}

static __always_inline void inet_take(u64 sock, u16 family, struct ring_object *object)
{
	const struct sock_common *common = (const void *)sock;
	u16 protocol = OBJECT_READ(sock, sock, sk_protocol);

	if (!kernel_has(RING_PART_ADDRESSES))
		return;
	if (bpf_core_field_exists(common->skc_net.net) && bpf_core_field_exists(struct net, net_cookie))
		object->net = OBJECT_READ(net, (u64)OBJECT_READ(sock, sock, __sk_common.skc_net.net), net_cookie);
	if (protocol == IPPROTO_TCP)
		object->kind = OBJECT_TCP;
	else if (protocol == IPPROTO_UDP)
		object->kind = OBJECT_UDP;
	object->port = OBJECT_READ(sock, sock, __sk_common.skc_num);
	object->peer_port = __builtin_bswap16(OBJECT_READ(sock, sock, __sk_common.skc_dport));
	if (family == AF_INET) {
		set_mapped(object->address, OBJECT_READ(sock, sock, __sk_common.skc_rcv_saddr));
		set_mapped(object->peer_address, OBJECT_READ(sock, sock, __sk_common.skc_daddr));
	} else if (bpf_core_field_exists(common->skc_v6_daddr) &&
		   bpf_core_field_exists(common->skc_v6_rcv_saddr)) {
		bpf_probe_read_kernel(object->address, RING_OBJECT_ADDRESS, &common->skc_v6_rcv_saddr);
		bpf_probe_read_kernel(object->peer_address, RING_OBJECT_ADDRESS, &common->skc_v6_daddr);
	}
}

static __always_inline void socket_take(u64 socket, struct object_room *room, struct ring_object *object)
{
	u64 sock = (u64)OBJECT_READ(socket, socket, sk);
	u16 family;

	object->kind = OBJECT_SOCKET;
	if (!sock || !kernel_has(RING_PART_SOCKETS))
		return;
	family = OBJECT_READ(sock, sock, __sk_common.skc_family);
	object->state = OBJECT_READ(sock, sock, __sk_common.skc_state);
	if (family == AF_UNIX)
		unix_take(sock, room, object);
	else if (family == AF_INET || family == AF_INET6)
		inet_take(sock, family, object);
}

#endif
