/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper in which user stacks of sleeping tasks are copied: it reads the file of an iterator
 * (bpf/sleepers.bpf.c) to its end, which may wait for a target's mm lock or for a page of its
 * stack. The copies arrive through a ring, not through this file. Request: one byte, with the
 * file. Reply: int32_t, 0 or -errno, once the file has been read.
 *
 * A target that takes longer than DEADLINE_SLEEPER ends the helper, if the kernel can be
 * interrupted at all.
 */
#ifndef RWALKER_RECORD_HELPER_SLEEPER_HELPER_H
#define RWALKER_RECORD_HELPER_SLEEPER_HELPER_H

/* The helper's main: serves until the socket closes. */
int sleeper_helper_run(int socket);

#endif
