/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds call chains of a profile that read the same even if their addresses differ: each node is
 * mapped to the first node whose chain consists of the same functions (or, by frame, of the same
 * frames). Add the leaves of all chains first, then read; adding a leaf twice costs nothing.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_READINGS_H
#define RWALKER_REPORT_VIEW_LOOK_READINGS_H

#include "report/view/look/functions.h"

struct readings {
	const struct profile_node *nodes;
	uint32_t *as; /* by node; for added nodes and their ancestors */
	size_t count;
	const struct profile_frame *frames;
	size_t frame_count;
	bool kernel_only; /* set before reading: chains whose kernel parts read the same are equal */
};

int readings_init(struct readings *readings, const struct profile *profile);
void readings_deinit(struct readings *readings);

int readings_want(struct readings *readings, uint32_t node);

/*
 * Also looks up the functions. If frames are printed with addresses or offsets, chains that differ
 * in these read differently.
 */
int readings_read(struct readings *readings, struct functions *functions, struct frame_style style);

#endif
