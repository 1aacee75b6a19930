/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sampling rates that avoid the rhythms of what is sampled. Most timers fire every 1, 4, 10 or
 * 100 ms: a rate that is a multiple or an even part of 100 or 1000 per second always meets them
 * in the same phase, and so sees what they start all of the time or never. A rate slightly off
 * drifts through every phase several times a second.
 */
#ifndef RWALKER_RECORD_PLAN_SAMPLE_RATE_H
#define RWALKER_RECORD_PLAN_SAMPLE_RATE_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_RATE = 3989, SAMPLE_RATE_DWARF = 997 }; /* Hz, by default; both are primes */

/* Whether this many samples per second keep step with common timers. */
bool sample_rate_in_step(uint64_t rate);

/* The highest rate up to `most` that does not. */
uint64_t sample_rate_below(uint64_t most);

#endif
