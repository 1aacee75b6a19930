/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How fast we and libdwfl unwind the snapshots of a perf.data file. perf itself is measured from outside. */
#pragma once

#include "tests/oracle/perf_data.h"

struct oracle_frames {
	unsigned long ours, perf, equal; /* equal: from the leaf on, in ours and in perf's */
};

/*
 * Prints one line of JSON: samples, frames, and per round the CPU seconds of: ours cold (no module
 * opened, nothing compiled), ours warm (a second time), libdwfl cold and warm. Returns 0, or 1 on failure.
 */
int measure_rounds(struct perf_data *data, const struct oracle_frames *frames, unsigned int rounds);
