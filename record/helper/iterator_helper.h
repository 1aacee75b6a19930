/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper that reads BPF iterators, which may wait: that of control groups for the kernel's lock of all of them
 * (bpf/cgroups.bpf.c; the list arrives through a ring, not through this file), and that of sleeping
 * tasks, whose user stacks are copied here (bpf/sleepers.bpf.c). The latter says of one task after
 * another what to copy, and then whether that task has slept all the time.
 *
 * Only pages that are in memory are copied (/proc/PID/pagemap, which brings in none), and none of a
 * file for which a server must answer. If a page leaves memory just then, process_vm_readv() drops
 * the target's mm lock while it waits. So nobody but this helper waits for the page. (A page that is
 * shared with a forked process is copied for the target, as if it had written to it.)
 *
 * Requests: struct iterator_request, with a file. Of sleeping tasks: first the page in which the
 * program asks (struct ring_sleeper_asked), then an iterator for each round. Answers to a round:
 * struct ring_sleeper with the stack, one packet for each task. At the end of each iterator, an
 * int32_t: 0 or -errno.
 *
 * A target that takes longer than DEADLINE_SLEEPER ends the helper, if the kernel can be
 * interrupted at all.
 */
#ifndef RWALKER_RECORD_HELPER_ITERATOR_HELPER_H
#define RWALKER_RECORD_HELPER_ITERATOR_HELPER_H

#include <stdint.h>

enum iterator_what { ITERATOR_CGROUPS, ITERATOR_PAGE, ITERATOR_SLEEPERS };

struct iterator_request {
	uint32_t what; /* enum iterator_what */
	uint32_t most; /* ITERATOR_SLEEPERS: bytes of a stack, whole words */
};

/* The helper's main: serves until the socket closes. */
int iterator_helper_run(int socket, const void *context);

#endif
