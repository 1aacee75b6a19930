/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who was at the ends of pipes and connections, from the waits and wakers of the same recording. A
 * process is a reader of a pipe if it waited in a read of it, or ended a write of another thread
 * from within a read; likewise for writers. It is at the other end of a socket if it waited for the
 * socket there: the one with the addresses and ports swapped, or the one whose inode the socket
 * names as its peer. Nothing is guessed: without both addresses, or such an inode, no process is
 * known there.
 *
 * Wakers also show which waits for any of several descriptors ended by timeout (PROFILE_TIMED_OUT).
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_ENDS_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_ENDS_H

struct profile;

/* Call once, after all waits were added. 0, -ENOMEM. */
int profile_join_ends(struct profile *profile);

#endif
