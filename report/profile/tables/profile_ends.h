/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who was at the ends of pipes and connections: what waits and wakers of the same recording tell.
 * A process is a reader of a pipe if it waited in a read of it, or ended somebody's write from
 * within one; likewise writers. It is at the other end of a socket if it waited for the socket
 * there: that of the swapped addresses and ports, or the inode that the socket names as its peer.
 * Nothing is guessed: without both addresses, or such an inode, there are no others.
 *
 * Wakers also tell which waits for any of several descriptors were over because their time was
 * (PROFILE_TIMED_OUT).
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_ENDS_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_ENDS_H

struct profile;

/* After all waits, once. 0, -ENOMEM. */
int profile_join_ends(struct profile *profile);

#endif
