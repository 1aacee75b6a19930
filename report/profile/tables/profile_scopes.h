/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which sections may say something about the modules of which section. A section learns about its
 * modules from itself and from sections that add to it (--finalize, --resolve-lines), and from no
 * other: the traces of one report may be from strangers. An addition is a section that recorded
 * nothing. It names the sections of its file that it adds to (META adds_to); without that, it adds
 * to the recorded section before it.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_SCOPES_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_SCOPES_H

#include "report/profile/tables/profile_internal.h"

/* Learns what all traces say about modules. -ENOMEM, -errno of reading. */
int profile_learn_scopes(struct profile *profile);

/* The place of a section's modules; call after profile_learn_scopes(). */
struct modules_place profile_place_of(const struct profile *profile, const struct trace_model *model);

/* Notes which part of a section was requested, in times of its trace. */
void profile_note_part(const struct profile *profile, const struct trace_model *model, uint64_t from, uint64_t to);

/* Whether the section recorded nothing. */
bool profile_is_addition(const struct trace_model *model);

#endif
