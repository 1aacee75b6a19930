/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The time that the kernel spends in our BPF programs, from look to look. The kernel counts it while anybody has
 * switched that on; we do not, because it costs the host's other programs time. Otherwise it is estimated from what
 * the programs have seen. Others may switch it on and off while we record, so the time between any two looks is
 * judged on its own.
 */
#ifndef RWALKER_RECORD_SOURCE_PROGRAMS_TIME_H
#define RWALKER_RECORD_SOURCE_PROGRAMS_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct loss;

struct programs_time {
	uint64_t total; /* until the last look, ns */
	uint64_t run_ns, seen, passed; /* of struct loss, then */
	bool counted; /* the kernel counted before it */
};

/* Adds what was spent since the last look, or since the programs were loaded. */
void programs_time_look(struct programs_time *programs, const struct loss *loss);

#endif
