/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A small trace of copied registers and stacks. */
#pragma once

#include "format/event_log.h"
#include "tests/fault/synthetic_trace.h"

/* A process with snapshots: return addresses into its modules among other words; one is stored as a difference. */
static inline void kinds_add_snapshots(struct event_log *log)
{
	uint64_t words[64] = {0}, user[] = {syn_start(2) + 0x1010};
	struct snapshot snapshot = {.time = SYN_BASE + 5, .known = 0x1ffff, .address = 0x7fff0000,
				    .words = words, .count = 64};
	struct event_stacks stacks = {.user = user, .user_count = 1};
	struct synthetic s;

	syn_make(0, &s);
	if (event_log_want_snapshots(log) < 0)
		abort();
	for (uint32_t i = 0; i < 4; i++) {
		struct event_sample sample = {.time = SYN_BASE + 10 + i, .source = SYN_CPU};
		struct event_log_snapshot added;

		for (uint32_t k = 0; k < 64; k += 3)
			words[k] = k % 2 ? syn_start(2 + k % 4 / 2) + 0x1000 + k * 8 + i : snapshot.address + k * 8;
		snapshot.registers[6] = snapshot.address + 16;
		snapshot.registers[7] = snapshot.address;
		snapshot.registers[16] = syn_start(2) + 0x1010;
		if (event_log_add_snapshot(log, (struct snapshot_owner){s.task.tid, 0}, &snapshot, &added) < 0)
			abort();
		sample.snapshot = added.number;
		if (event_log_add_sample(log, &sample, &s.task, &stacks) < 0)
			abort();
	}
}
