/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper in which user stacks of sleeping tasks are copied. It reads the file of an iterator
 * (bpf/sleepers.bpf.c), which says of one task after another what to copy, and then whether that
 * task has slept all the time.
 *
 * Only pages that are in memory are copied (/proc/PID/pagemap, which brings in none), and none of a
 * file for which a server must answer. If a page leaves memory just then, process_vm_readv() drops
 * the target's mm lock while it waits. So nobody but this helper waits for the page. (A page that is
 * shared with a forked process is copied for the target, as if it had written to it.)
 *
 * Requests: struct sleeper_request, with a file: first the page in which the program asks (struct
 * ring_sleeper_asked), then an iterator for each round. Answers to a round: struct ring_sleeper with
 * the stack, one packet for each task; at last an int32_t, 0 or -errno.
 *
 * A target that takes longer than DEADLINE_SLEEPER ends the helper, if the kernel can be
 * interrupted at all.
 */
#ifndef RWALKER_RECORD_HELPER_SLEEPER_HELPER_H
#define RWALKER_RECORD_HELPER_SLEEPER_HELPER_H

#include <stdint.h>

struct sleeper_request {
	uint32_t most; /* bytes of a stack, whole words; 0: the file is the page */
};

/* The helper's main: serves until the socket closes. */
int sleeper_helper_run(int socket);

#endif
