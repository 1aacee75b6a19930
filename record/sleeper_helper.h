/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helper in which user stacks of sleeping tasks are copied: it reads the file of an iterator (bpf/sleepers.bpf.c) to its
 * end, which may wait for a target's mm lock or for a page of its stack. What is copied does not come this way, but through a
 * ring. Request: one byte, with the file. Reply: int32_t, 0 or -errno, once the file has been read.
 * A target for which 200 ms are not enough ends the helper, where the kernel can be interrupted at all.
 */
#ifndef RWALKER_RECORD_SLEEPER_HELPER_H
#define RWALKER_RECORD_SLEEPER_HELPER_H

enum { SLEEPER_DEADLINE_MS = 200 }; /* for each target */

/* The helper's main: serves until the socket closes. */
int sleeper_helper_run(int socket);

#endif
