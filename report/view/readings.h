/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which call chains of a profile read the same, though their addresses differ: each node stands for the first
 * node whose chain consists of the same functions (or, by frame, of the same frames). Ask for the leaves of all
 * chains first, then read; what is asked for twice costs nothing.
 */
#ifndef RWALKER_REPORT_VIEW_READINGS_H
#define RWALKER_REPORT_VIEW_READINGS_H

#include "report/view/functions.h"

struct readings {
	const struct profile_node *nodes;
	uint32_t *as; /* by node; of the ones that were asked for and their ancestors */
	size_t count;
	const struct profile_frame *frames;
	size_t frame_count;
	bool kernel_only; /* set before reading: chains whose kernel parts read the same are the same */
};

int readings_init(struct readings *readings, const struct profile *profile);
void readings_deinit(struct readings *readings);

int readings_want(struct readings *readings, uint32_t node);

/* Looks up the functions, too. */
int readings_read(struct readings *readings, struct functions *functions, bool by_frame);

#endif
