/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ring in which the kernel leaves perf records of one CPU (perf_event_open(2), "MMAP layout"): read in place, one
 * record at a time; a record that wraps around the end is copied out first.
 */
#ifndef RWALKER_RECORD_PERF_PERF_EVENT_H
#define RWALKER_RECORD_PERF_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/host/cpus.h"

struct spawner;

struct perf_ring {
	int fd; /* -1: not open */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size, head, tail; /* head: as of the last perf_ring_look() */
	uint8_t *wrapped;          /* room for one record */
};

/* For an event that is open; the ring owns `fd` only if this succeeds. 0, -errno of mmap. */
int perf_ring_map(struct perf_ring *ring, int fd, size_t data_size);
/*
 * The caller sets attr->wakeup_watermark etc. data_size: a power of two of pages, bytes. spawner:
 * as for perf_open(). 0, -errno of perf_event_open or mmap.
 */
int perf_ring_open(struct perf_ring *ring, struct spawner *spawner, const struct perf_event_attr *attr, uint32_t cpu,
		   size_t data_size);
void perf_ring_close(struct perf_ring *ring);

/* Notes what has arrived. */
void perf_ring_look(struct perf_ring *ring);
/* Bytes that the kernel could still write at the last look. */
uint64_t perf_ring_room(const struct perf_ring *ring);
/* The next record up to the last look, NULL: none. It stays valid until perf_ring_next(). */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring);
/* Gives the record's room back to the kernel. */
void perf_ring_next(struct perf_ring *ring);

/*
 * The perf events that drive the CPU profile: one per wanted CPU that is online, hardware cycles or, if the machine has
 * none, the CPU clock. A CPU that goes offline takes its event with it; one that comes online gets a new one
 * (perf_events_follow_cpus). An event with a BPF program attached writes nothing by itself.
 */

struct perf_account { /* of one CPU: running totals */
	uint64_t counted;	   /* by the kernel: ns, or cycles */
	uint64_t enabled, running; /* ns; less running than enabled: others used the counter meanwhile */
	/* How often the kernel stopped it because it was too frequent, and for how many ns. */
	uint64_t throttles, throttled;
};

struct perf_event_settings {
	uint64_t frequency; /* Hz */
	bool software;	    /* do not try hardware cycles */
	struct spawner *spawner; /* opens events on CPUs that come online, when we may not */
};

struct perf_cpu {
	int fd; /* -1: none */
	struct perf_ring ring; /* in which the kernel reports throttling; page NULL: there was no memory for one */
	uint64_t stopped_at;   /* CLOCK_MONOTONIC when a throttling began that has not ended; 0: none */
	uint64_t seen_enabled; /* ns for which the open event had been counting at the last look */
	struct perf_account closed; /* of closed events, and all that is known about throttling */
};

struct perf_events {
	const struct cpus *cpus;
	struct perf_cpu *each;
	uint32_t count; /* CPUs, including those without an event */
	int program_fd;
	struct spawner *spawner;
	uint64_t frequency; /* as granted */
	uint64_t now;	    /* Hz at present, also of events that are opened later */
	uint64_t period;    /* ns of the CPU clock; 0 with hardware cycles, whose period the kernel adapts */
	bool software;
	bool fallback;	    /* cycles were tried but are not available */
	uint32_t missed;    /* CPUs that came online and could not be followed */
	struct cpu_busy busy; /* of the time in which they are enabled */
	bool disabled;
};

/*
 * Opens and attaches all events and leaves them disabled. Reports what it had to change
 * (frequency above the host's limit, no hardware cycles). 0, or -errno after reporting why.
 */
int perf_events_open(struct perf_events *events, const struct cpus *cpus, const struct perf_event_settings *settings,
		     int program_fd);
void perf_events_close(struct perf_events *events);

int perf_events_enable(struct perf_events *events);
/* Samples per second and CPU from now on, at most as many as they were opened with; 0: none. */
void perf_events_set_frequency(struct perf_events *events, uint64_t frequency);
void perf_events_disable(struct perf_events *events);

/* Opens events on CPUs that came online. Once a second; reports nothing, see `missed`. */
void perf_events_follow_cpus(struct perf_events *events);

/* From the kernel's own counts. */
void perf_events_account(struct perf_events *events, uint32_t cpu, struct perf_account *ret_account);

/*
 * How long each CPU ran tasks while its event counted, by the kernel's account:
 * perf_events_look_busy() reads the account as of now, or as of the moment at which the events were
 * disabled. False: unknown, or the CPU was offline in between.
 */
void perf_events_look_busy(struct perf_events *events);
bool perf_events_busy(const struct perf_events *events, uint32_t cpu, uint64_t enabled, uint64_t *ret_ns);

#endif
