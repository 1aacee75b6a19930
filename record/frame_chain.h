/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The call chain of a snapshot by frame pointers, as the kernel takes one of a task that runs: within what was copied. */
#ifndef RWALKER_RECORD_FRAME_CHAIN_H
#define RWALKER_RECORD_FRAME_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot;

/* Leaf first, at most `room` frames; the number of them. *ret_cut: it goes on beyond what was copied, or beyond the room. */
uint32_t frame_chain(const struct snapshot *snapshot, uint64_t *frames, uint32_t room, bool *ret_cut);

#endif
