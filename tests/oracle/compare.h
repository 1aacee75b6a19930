/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Compares our walk with libdw's engine, step by step from the same frames. Differences are printed and counted. */
#pragma once

#include "tests/oracle/snapshot.h"

struct oracle_tally {
	unsigned long samples, frames, judged, unjudged, different, by_pointer;
	unsigned long stops[UNWIND_TOO_DEEP + 1];
	unsigned int shown; /* differences printed so far */
	unsigned int ends;  /* how many badly ended chains are still to be shown */
};

/* 0 or -ENOMEM. */
int oracle_compare(struct unwinder *unwinder, const struct oracle_snapshot *snapshot, struct oracle_tally *tally);

/* The same, for the first step only. */
int oracle_compare_step(struct unwinder *unwinder, const struct oracle_snapshot *snapshot, struct oracle_tally *tally);

/* The unwinder's input, from a stopped task. */
void oracle_input(const struct oracle_snapshot *snapshot, struct unwind_space *ret_space,
		  struct unwind_snapshot *ret_snapshot);
