/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The processes at the other end of what a wait was for: the peer of a socket, the writers or
 * readers of a pipe.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_OTHER_ENDS_H
#define RWALKER_REPORT_VIEW_LOOK_OTHER_ENDS_H

#include "report/view/look/waits.h"

/* The other end of what was ready, if that is known, else of the object. NULL if nobody is known there. */
const struct profile_users *other_end(const struct waits *waits, const struct profile_wait *wait,
				      enum profile_direction *ret_end);
/* Whether two waits for objects that read the same have different processes there. */
bool other_ends_differ(const struct waits *waits, const struct profile_wait *one, const struct profile_wait *other);

#endif
