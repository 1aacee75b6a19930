/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where the names of a module's functions are from, as far as any was asked for. The texts live as long as the profile. */
#ifndef RWALKER_REPORT_PROFILE_MODULE_NAMES_H
#define RWALKER_REPORT_PROFILE_MODULE_NAMES_H

#include "report/profile.h"

struct profile_module_names {
	const char *from;    /* "the trace", "its debug file" ...; NULL: nothing names any */
	const char *path;    /* of the file that they are from, "" */
	const char *why;     /* what keeps the others from having a name */
	const char *refused; /* a file that is in the place of the right one, "" */
};

void profile_module_names(const struct profile *profile, uint32_t module, struct profile_module_names *ret_names);

#endif
