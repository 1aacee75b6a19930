/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rwalker-record --finalize FILE: does what embedding would have done if the recorder had not been
 * killed. Reads the trace, finds out again which functions were hit, opens the modules by path
 * (only if they have the build-ids in the trace), and appends a second section with their symbols.
 * Events that are already in the file are never touched. Works as long as this host has the same
 * files; for the vDSO and JIT code, only on the same boot.
 */
#ifndef RWALKER_RECORD_EMBED_FINALIZE_H
#define RWALKER_RECORD_EMBED_FINALIZE_H

#include "format/io.h"
#include "record/plan/record_options.h"

/* 0, or -errno after reporting why. */
int finalize_file(const struct record_config *config, const struct trace_io *io);

#endif
