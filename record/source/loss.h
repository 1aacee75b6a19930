/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The account of a recording: by CPU and cause, what was seen, left out, recorded and lost, and
 * what the recording cost the host. Read from the programs once a second and at the end, and
 * written to the log if it has changed. For each CPU:
 *
 *     kernel's count = seen + not delivered        (weights of samples, and how many samples the rest would have been)
 *     seen = recorded + idle + own + filtered + ring full + nested         (samples)
 *     seen = recorded + own + filtered + brief + ring full + nested + no entry  (waits that ended)
 *     seen = recorded + own + filtered + rate-limited + ring full + nested  (hits of tracepoints and functions)
 *
 * Events that a -c too large for the programs drops while draining move from recorded to filtered,
 * for samples, waits and hits alike. Notes on quality (a stack or snapshot that is missing) still
 * count it.
 */
#ifndef RWALKER_RECORD_SOURCE_LOSS_H
#define RWALKER_RECORD_SOURCE_LOSS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"

struct drain;
struct module_files;
struct probe;
struct recording;
struct ring_cpu;
struct streams;

struct loss {
	struct recording *recording;
	const struct probe *probe;
	const struct drain *drain;
	const struct module_files *files;
	const struct streams *streams;
	struct ring_cpu *now; /* per CPU: room for a source's counters */
	uint64_t *told;	      /* by source, CPU and cause: the total last written */
	uint64_t time;	      /* of the account that is being written */
	bool all;	      /* it is written whole */
	/* Damage: ring full, nested, no entry, sideband, encoder, recursion; records that could not be written. */
	uint64_t lost;
	uint64_t left_out;    /* idle, own, filtered, brief, rate-limited */
	uint64_t max_rss;     /* bytes, without the rings */
	uint64_t run_ns;      /* CPU time of the main programs */
};

int loss_init(struct loss *loss);
void loss_deinit(struct loss *loss);

/* The most that the account occupies in a trace. */
uint64_t loss_most_bytes(const struct recording *recording);

/*
 * Between these two each source adds its own. What has changed since it was last written is written; all: the rest, too.
 */
void loss_begin(struct loss *loss, uint64_t now, bool all);
void loss_end(struct loss *loss);

/* A running total. Adds nothing to `lost`. */
void loss_add(struct loss *loss, uint32_t source, uint32_t cpu, enum loss_cause cause, uint64_t total);
/* Those of a program, by enum ring_counter; what of them is lost or left out is added up. */
void loss_add_counters(struct loss *loss, uint32_t source, uint32_t cpu, const __u64 *counters);

#endif
