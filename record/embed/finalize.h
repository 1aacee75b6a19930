/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The snapshots of a trace that is read again (--finalize), for the events that refer to them.
 * Chunks are added in order and kept until later ones together hold more than
 * SNAPSHOT_WINDOW_BYTES; an event follows its snapshot closely. Owns copies of the chunks. The
 * contents of a chunk may be malformed; anything after that in the chunk is ignored.
 */
#ifndef RWALKER_RECORD_EMBED_FINALIZE_H
#define RWALKER_RECORD_EMBED_FINALIZE_H

#include <stddef.h>
#include <stdint.h>

#include "format/io.h"
#include "format/snapshot_code.h"
#include "record/plan/record_options.h"

struct snapshot_window;

enum { SNAPSHOT_WINDOW_BYTES = 128 << 20, SNAPSHOT_WINDOW_CHUNKS = 4096 };

/* One SNAPSHOTS chunk's payload. -ENOMEM. */
/* Another section begins, with numbers of its own. */

/* *ret_snapshot is valid until the next call. 0; -ENOENT: not, or no longer, there; -EBADMSG. */

/*
 * rwalker-record --finalize FILE: does what embedding would have done if the recorder had not been
 * killed. Reads the trace, finds out again which functions were hit, opens the modules by path
 * (only if they have the build-ids in the trace), and appends a second section with their symbols.
 * Events that are already in the file are never touched. Works as long as this host has the same
 * files; for the vDSO and JIT code, only on the same boot.
 */

/* 0, or -errno after reporting why. */
int finalize_file(const struct record_config *config, const struct trace_io *io);

#endif
