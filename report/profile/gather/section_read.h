/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads one section into the profile: each event in time order, while the timeline of processes is
 * replayed alongside.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_SECTION_READ_H
#define RWALKER_REPORT_PROFILE_GATHER_SECTION_READ_H

struct profile;
struct trace_file;
struct trace_model;

/* Reads all events, or until Ctrl-C: then profile->reading.cut is set. 0, -ENOMEM, -errno of reading. */
int section_read(struct profile *profile, struct trace_file *file, struct trace_model *model);

#endif
