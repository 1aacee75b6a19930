/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where the names of a module's functions came from, if any were looked up. The texts live as long as the profile. */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_MODULE_NAMES_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_MODULE_NAMES_H

#include "report/profile/seam/profile.h"

struct profile_module_names {
	const char *from;    /* "the trace", "its debug file" ...; NULL: nothing names its functions */
	const char *path;    /* of the file they came from, or "" */
	const char *why;     /* why the other functions have no name */
	const char *refused; /* a wrong file found in place of the right one, or "" */
};

void profile_module_names(const struct profile *profile, uint32_t module,
			  struct profile_module_names *ret_names);

#endif
