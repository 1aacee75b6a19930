/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Like bpf/kernel.h, for waits for many descriptors at once. */
#ifndef RWALKER_BPF_KERNEL_POLLS_H
#define RWALKER_BPF_KERNEL_POLLS_H

#include "bpf/kernel_locks.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct eventpoll {
	struct wait_queue_head wq, poll_wait; /* of threads in epoll_wait(); of those that poll the epoll itself */
	struct list_head rdllist; /* of struct epitem.rdllink: files that are ready, the oldest first */
};

struct epoll_filefd {
	struct file *file;
	int fd; /* with which the file was added */
} __attribute__((packed));

struct epitem {
	struct list_head rdllink;
	struct epoll_filefd ffd;
	struct eventpoll *ep;
};

struct eppoll_entry { /* one in a queue of each file that an epoll has */
	struct epitem *base;
	struct wait_queue_entry wait;
};

struct poll_table_entry { /* one for each queue in which a file is waited for */
	struct file *filp;
	u32 key; /* POLL* that are waited for */
	struct wait_queue_entry wait; /* private: its struct poll_wqueues, func: pollwake() */
};

struct poll_table_page {
	struct poll_table_page *next;
	struct poll_table_entry *entry; /* the first unused one */
	struct poll_table_entry entries[1];
};

struct poll_wqueues { /* on the stack of poll() and select() */
	struct poll_table_page *table; /* for entries that do not fit into inline_entries */
	struct task_struct *polling_task;
	int triggered; /* bool: one of the files called for the wakeup */
	int inline_index;
	struct poll_table_entry inline_entries[1];
};

struct pipe_inode_info {
	unsigned int head, tail, writers;
};

struct eventfd_ctx {
	u64 count;
};

struct timerfd_ctx {
	u64 ticks;
};

struct sock___ready {
	struct {
		struct sk_buff *next;
	} sk_receive_queue;
	int sk_rcvlowat, sk_err;
	u8 sk_shutdown;
};

struct inet_connection_sock {
	struct {
		struct request_sock *rskq_accept_head;
	} icsk_accept_queue;
};

#pragma clang attribute pop

#endif
