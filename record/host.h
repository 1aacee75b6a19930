/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the trace says about where and how it was made: META records (FORMAT.md §5.1). Of the command after "--" only its name
 * is kept, never its arguments or an environment.
 */
#ifndef RWALKER_RECORD_HOST_H
#define RWALKER_RECORD_HOST_H

struct recording;

int host_describe(struct recording *recording);

#endif
