/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A hash of what a trace says about each of its modules (segments, symbols, unwind information,
 * code, lines). Two modules have the same hash only if their traces say the same: it is a
 * polynomial of all bytes, evaluated at two random points modulo 2^61 - 1 (Carter and Wegman,
 * "Universal classes of hash functions", 1979). A trace that does not know the points can make two
 * texts of 2^24 words collide with a probability of at most 2^-74.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_EVIDENCE_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_EVIDENCE_H

#include "report/read/trace_model.h"

struct evidence { /* zeros: the trace says nothing */
	uint64_t sums[2];
};

struct evidence_points {
	uint64_t at[2];
};

/* 0, or -errno if the kernel provides no random numbers. */
int evidence_points_draw(struct evidence_points *points);

/* Appends bytes. The result depends on the earlier ones, and on how the bytes are split between calls. */
void evidence_add(struct evidence *evidence, const struct evidence_points *points, const void *bytes, size_t size);

/*
 * Computes the evidence of all modules of a section, in the order of model->modules. Reads all
 * EMBED chunks of the section once. `evidence` has room for model->modules.count. -ENOMEM, -errno
 * of reading.
 */
int evidence_gather(const struct evidence_points *points, const struct trace_model *model, struct evidence *evidence);

#endif
