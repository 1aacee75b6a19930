/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The clock of all events is CLOCK_MONOTONIC. Readings of other clocks beside it, at the start,
 * now and then, and at the end, let the reader convert event times to wall time and align traces
 * of several hosts.
 */
#ifndef RWALKER_RECORD_HOST_CLOCKS_H
#define RWALKER_RECORD_HOST_CLOCKS_H

#include <stdint.h>

#include "format/event.h"

uint64_t clocks_now(void); /* CLOCK_MONOTONIC, ns */

/* Reads both clocks back to back; of a few tries, returns the one with the narrowest window. */
void clocks_read(struct event_clock *ret_clock);

#endif
