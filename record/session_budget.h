/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a recording may take from the host: memory, added up at its start, and CPU time, measured while it runs. */
#ifndef RWALKER_RECORD_SESSION_BUDGET_H
#define RWALKER_RECORD_SESSION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/plan/cpu_budget.h"
#include "record/plan/memory_plan.h"
#include "record/plan/record_options.h"

struct cpus;
struct session;

struct session_budget { /* --max-cpu */
	struct cpu_budget cpu;
	uint64_t looked, spent; /* when it was last measured, and the CPU time until then, ns */
	uint64_t resumed;	/* when a pause last ended; 0: there was none */
	struct event_budget told; /* the last record */
};

/* Decides how large rings and the window are made. 0, -EINVAL after reporting that they do not fit. */
int session_plan_memory(struct session *session);
/* Writes the plan to the trace, and prints it if it is a lot. */
int session_tell_memory(struct session *session);
uint64_t session_helper_bytes(const struct record_config *config); /* for one, to read a file; 0: no limit */
size_t session_ring_bytes(const struct record_config *config); /* as asked for */
uint64_t session_window_bytes(const struct session *session); /* as planned */
uint32_t session_threads(const struct cpus *cpus); /* to expect on this host */
uint32_t session_entries(const struct session *session);

/* --max-cpu: everything here does nothing without it. */
int session_open_budget(struct session *session);
void session_keep_budget(struct session *session, uint64_t now); /* once a second */
void session_tell_budget(struct session *session, uint64_t now); /* writes the present step again */
bool session_samples(const struct session *session); /* sampling is not paused */

#endif
