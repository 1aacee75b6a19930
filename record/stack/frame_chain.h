/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The call chain of a snapshot by frame pointers. It is walked as the kernel walks a running task,
 * within what was copied.
 */
#ifndef RWALKER_RECORD_STACK_FRAME_CHAIN_H
#define RWALKER_RECORD_STACK_FRAME_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot;

/*
 * Writes at most `room` frames, leaf first. Returns the number of frames. *ret_cut: the chain
 * continues beyond what was copied, or beyond the room.
 */
uint32_t frame_chain(const struct snapshot *snapshot, uint64_t *frames, uint32_t room, bool *ret_cut);

struct ring_top;

/* Writes what the programs write of a running task's stack. Returns its words, the head included; 0: nothing. */
uint32_t frame_top(const struct snapshot *snapshot, struct ring_top *ret_top);

#endif
