/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What lies at the top of a user stack, as marks and addresses behind the leaf (FORMAT.md §6.2). */
#ifndef RWALKER_RECORD_SOURCE_STACK_WORDS_H
#define RWALKER_RECORD_SOURCE_STACK_WORDS_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf/ring_event.h"
#include "format/event_encoder.h"

struct recording;

/* Puts them between the leaf of the user stack and its callers, in the recording's memory. words: of all of `top`. */
void stack_words_add(struct recording *recording, uint32_t tgid, const struct ring_top *top, uint32_t words,
		     struct event_stacks *stacks);

#endif
