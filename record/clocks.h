/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The clock of all events is CLOCK_MONOTONIC. Readings of the others beside it, at the start, now and then and at
 * the end, let the reader turn event times into wall time and line traces of several hosts up.
 */
#ifndef RWALKER_RECORD_CLOCKS_H
#define RWALKER_RECORD_CLOCKS_H

#include <stdint.h>

#include "format/event.h"

uint64_t clocks_now(void); /* CLOCK_MONOTONIC, ns */

/* Four clocks, read back to back; of a few tries the one with the narrowest window. */
void clocks_read(struct event_clock *ret_clock);

#endif
