/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the programs cannot know by themselves about system calls that wait: which of this
 * machine's calls have a descriptor, a futex or a child among their arguments, and which
 * functions of the kernel end a sleep, wait for locks, or are no part of a call's own work.
 */
#ifndef RWALKER_RECORD_HOST_WAITING_CALLS_H
#define RWALKER_RECORD_HOST_WAITING_CALLS_H

#include <linux/types.h>

#include "bpf/ring.h"
#include "record/host/kallsyms.h"

/* Sets knobs->calls. What cannot be found out stays 0. */
void waiting_calls_fill(struct ring_object_knobs *knobs);

/* Fills in the functions that are among the kernel's symbols; `known` is all 0 before. */
void waiting_calls_find(const struct kallsyms *table, struct ring_object_functions *known);

#endif
