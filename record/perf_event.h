/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The perf events that drive the CPU profile: one per wanted CPU that is online, hardware cycles or, where the machine
 * has none, the CPU clock. A CPU that goes takes its event with it, one that comes gets a new one
 * (perf_events_follow_cpus). An event that a BPF program is attached to writes nothing by itself.
 */
#ifndef RWALKER_RECORD_PERF_EVENT_H
#define RWALKER_RECORD_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "record/cpus.h"

struct perf_event_settings {
	uint64_t frequency; /* Hz */
	bool software;	    /* no attempt at hardware cycles */
};

struct perf_events {
	const struct cpus *cpus;
	int *fds;	  /* per CPU, -1: none */
	uint64_t *counts; /* per CPU, of events that are closed */
	uint64_t *enabled; /* per CPU, ns the open event had been counting at the last look */
	uint32_t count;	  /* CPUs, also those without an event */
	int program_fd;
	uint64_t frequency; /* as granted */
	uint64_t period;    /* ns of the CPU clock; 0 with hardware cycles, whose period the kernel adapts */
	bool software;
	bool fallback;	    /* cycles were tried and are not there */
	uint32_t missed;    /* CPUs that came and could not be followed */
};

/*
 * Opens, attaches and leaves all events disabled. Says what it had to change (frequency above the host's limit, no
 * hardware cycles). -errno after it said why.
 */
int perf_events_open(struct perf_events *events, const struct cpus *cpus, const struct perf_event_settings *settings,
		     int program_fd);
void perf_events_close(struct perf_events *events);

int perf_events_enable(struct perf_events *events);
void perf_events_disable(struct perf_events *events);

/* Opens events on CPUs that came. Once a second; says nothing, see `missed`. */
void perf_events_follow_cpus(struct perf_events *events);

/* Ticks of one CPU by the kernel's own counter; 0 where the counter does not tell (hardware cycles). */
uint64_t perf_events_ticks(const struct perf_events *events, uint32_t cpu);

#endif
