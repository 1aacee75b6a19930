/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Like bpf/kernel.h, for sockets. */
#ifndef RWALKER_BPF_KERNEL_SOCKETS_H
#define RWALKER_BPF_KERNEL_SOCKETS_H

#include "bpf/kernel_files.bpf.h"

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		u32 u6_addr32[4];
	} in6_u;
};

struct net { /* a network namespace */
	u64 net_cookie; /* unlike its inode, never used again */
};

struct sock_common {
	struct {
		struct net *net;
	} skc_net;
	u32 skc_daddr, skc_rcv_saddr;
	u16 skc_dport, skc_num, skc_family;
	unsigned char skc_state;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct socket;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	u16 sk_protocol, sk_type;
};

struct socket {
	struct sock *sk;
};

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct sockaddr_un {
	u16 sun_family;
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[0];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

#pragma clang attribute pop

#endif
