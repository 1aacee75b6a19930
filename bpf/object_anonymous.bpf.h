/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's anonymous files, which all share one inode: epolls, timers, counters. */
#ifndef RWALKER_BPF_OBJECT_ANONYMOUS_H
#define RWALKER_BPF_OBJECT_ANONYMOUS_H

#include "bpf/kernel_files.bpf.h"

/* name: the first eight bytes of the name that the kernel gives the file, as a number. */
static __always_inline u32 anonymous_kind(u64 name)
{
	switch (name) {
	case 0x6f70746e6576655bULL: /* "[eventpoll]" */
		return OBJECT_EPOLL;
	case 0x6466746e6576655bULL: /* "[eventfd]" */
		return OBJECT_EVENTFD;
	case 0x646672656d69745bULL: /* "[timerfd]" */
		return OBJECT_TIMERFD;
	case 0x666c616e6769735bULL: /* "[signalfd]" */
		return OBJECT_SIGNALFD;
	case 0x00796669746f6e69ULL: /* "inotify" */
		return OBJECT_INOTIFY;
	default:
		return OBJECT_ANONYMOUS;
	}
}

static __always_inline u32 anonymous_kind_of(u64 file)
{
	u64 dentry = (u64)OBJECT_READ(file, file, f_path.dentry), name = 0;

	bpf_probe_read_kernel(&name, sizeof(name), OBJECT_READ(dentry, dentry, d_name.name));
	return anonymous_kind(name);
}

#endif
