/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who is at the other end of what a wait was for: of a socket that of its peer, of a pipe those who write to it or read
 * from it.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_OTHER_ENDS_H
#define RWALKER_REPORT_VIEW_LOOK_OTHER_ENDS_H

#include "report/view/look/waits.h"

/* Of what was ready, if that is known, else of the object. NULL: nobody is known there. */
const struct profile_users *other_end(const struct waits *waits, const struct profile_wait *wait,
				      enum profile_direction *ret_end);
/* Whether two waits for what reads the same have other processes there. */
bool other_ends_differ(const struct waits *waits, const struct profile_wait *one, const struct profile_wait *other);

#endif
