/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The account of a recording: per CPU and cause what was seen, left out, recorded and lost, and what it all cost the host.
 * Read from the programs once a second and at the end, written to the log where it changed. For each CPU:
 *
 *     kernel's ticks = seen + not delivered        (where the kernel counts ticks: the CPU clock)
 *     seen = recorded + idle + own + filtered + ring full + nested         (samples)
 *     seen = recorded + own + filtered + brief + ring full + nested + no entry  (waits that ended)
 *     seen = recorded + own + filtered + rate-limited + ring full + nested  (hits of tracepoints and functions)
 */
#ifndef RWALKER_RECORD_LOSS_H
#define RWALKER_RECORD_LOSS_H

#include <stdbool.h>
#include <stdint.h>

struct drain;
struct module_files;
struct point_events;
struct perf_events;
struct probe;
struct recording;
struct ring_cpu;
struct waits;

struct loss {
	struct recording *recording;
	const struct probe *probe;
	const struct perf_events *events; /* NULL: no CPU source */
	const struct drain *drain;
	const struct module_files *files;
	const struct waits *waits; /* NULL: no off-CPU source */
	struct point_events *points; /* NULL: no tracepoints and functions */
	uint32_t cpu_source, waits_source, wakers_source;
	struct ring_cpu *now; /* per CPU */
	uint64_t *told;	      /* per source, CPU and cause, the total last written */
	uint64_t lost;	      /* damage: ring full, nested, no entry, sideband, encoder, recursion; and what was not written */
	uint64_t left_out;    /* idle, own, filtered, brief, rate-limited */
	uint64_t max_rss;     /* bytes, rings not counted */
};

int loss_init(struct loss *loss);
void loss_deinit(struct loss *loss);

/* What the account takes in a trace, at most. */
uint64_t loss_most_bytes(const struct recording *recording);

/* Reads and writes everything; `all` also what did not change since it was last written. */
void loss_tell(struct loss *loss, uint64_t now, bool all);

#endif
