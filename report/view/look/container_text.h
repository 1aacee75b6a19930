/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How all views write the container of a task. */
#ifndef RWALKER_REPORT_VIEW_LOOK_CONTAINER_TEXT_H
#define RWALKER_REPORT_VIEW_LOOK_CONTAINER_TEXT_H

#include <stdio.h>

#include "report/profile/seam/profile_cgroup.h"

/* "container 3f4e5d6c7b8a"; nothing if there is none. */
void container_write(const struct profile_cgroup *cgroup, FILE *out);
/* The same as a text that the caller frees, with another first word or none; "" if there is none. 0, -ENOMEM. */
int container_text(const struct profile_cgroup *cgroup, const char *word, char **ret_text);

#endif
