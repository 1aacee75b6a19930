/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A profile without events, for users that need only the traces and the names of their addresses. */
#ifndef RWALKER_REPORT_PROFILE_PROFILE_UNREAD_H
#define RWALKER_REPORT_PROFILE_PROFILE_UNREAD_H

#include "report/profile/tables/profile_internal.h"

/* Like profile_create(); also destroyed by profile_destroy(). The filter must live as long as the profile. */
int profile_create_unread(const char *const *paths, size_t count, const struct profile_filter *filter,
			  const struct profile_names *names, struct profile **ret_profile);

#endif
