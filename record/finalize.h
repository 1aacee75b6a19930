/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rwalker-record --finalize FILE: what embedding would have done, had the recorder not been killed. Reads the trace, finds
 * again which functions were hit, opens the modules by path (only the very build-ids the trace names), and writes a
 * second section behind the first with their symbols. Events already in the file are never touched. As long as
 * the same files lie on this host; on the same boot for the vDSO and JIT code.
 */
#ifndef RWALKER_RECORD_FINALIZE_H
#define RWALKER_RECORD_FINALIZE_H

#include "format/io.h"
#include "record/record_options.h"

/* 0, or -errno after it said why. */
int finalize_file(const struct record_config *config, const struct trace_io *io);

#endif
