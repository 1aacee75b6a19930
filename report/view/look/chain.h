/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One call chain as a list of frames, leaf first: the kernel part, then the user part. The memory
 * is reused from chain to chain.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_CHAIN_H
#define RWALKER_REPORT_VIEW_LOOK_CHAIN_H

#include "common/array.h"
#include "report/profile/seam/profile.h"

struct chain {
	ARRAY(uint32_t) frames;
	size_t kernel_count; /* the kernel's frames are first */
};

/* 0, -ENOMEM, -EBADMSG: the node is not in the profile. */
int chain_read(struct chain *chain, const struct profile *profile, uint32_t node);
void chain_deinit(struct chain *chain);

#endif
