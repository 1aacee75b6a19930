/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where this kernel lets us take the user stacks of waits: the ways of enum ring_user_way, best
 * first. They are found by reading the kernel's BTF or by trying, never by the version.
 */
#ifndef RWALKER_RECORD_PROBE_PROBE_USER_WAY_H
#define RWALKER_RECORD_PROBE_PROBE_USER_WAY_H

#include <linux/types.h>
#include <stdbool.h>

#include "bpf/ring.h"

#define SWITCH_END "finish_task_switch" /* the kernel function */

struct btf;

bool kernel_has_kprobes(void); /* that perf events can open */

struct user_way {
	enum ring_user_way way;
	bool plain_name; /* of the function that schedules task work: bpf/wait_user.bpf.h */
	int switch_fd;	 /* BY_SWITCH: a perf event at the end of the switch, to attach a program to; else -1 */
};

/*
 * The first available way, starting at `from`. late: after the scheduler's locks are released,
 * which costs more at each switch; else before that. BY_SYS_EXIT is always available.
 */
void user_way_find(const struct btf *kernel, enum ring_user_way from, bool late, struct user_way *ret_way);
void user_way_close(struct user_way *way);

#endif
