/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Like bpf/kernel_sockets.bpf.h, for the state of a connection. */
#ifndef RWALKER_BPF_KERNEL_STREAMS_H
#define RWALKER_BPF_KERNEL_STREAMS_H

#include "bpf/kernel_polls.bpf.h"
#include "bpf/kernel_sockets.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct socket_wq {
	struct wait_queue_head wait;
};

struct sock___waited {
	struct socket_wq *sk_wq; /* in which threads and epolls wait for the socket */
};

struct inet_sock {
	struct ipv6_pinfo *pinet6;
	int mc_index;
};

struct ipv6_pinfo {
	int mcast_oif;
};

struct tcp_sock {
	u32 rcv_nxt;		/* the next sequence number that is expected from the other end */
	u32 snd_wl1;		/* that of the segment which last updated the window for sending */
	u32 snd_una, write_seq; /* what the other end has not acknowledged yet begins here, and ends here */
};

struct signal_struct {
	int nr_threads;
};

#pragma clang attribute pop

#endif
