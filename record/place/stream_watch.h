/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks whether the kernel's records of processes are complete, against what a BPF program
 * counted: plain numbers in, verdicts by CPU out. Done about once a second. A task may move to
 * another CPU between its record and its count, so only sums over all CPUs are exact. If these show
 * a loss, each CPU's own figures show where it was. Exits are counted, but may be far from their
 * records: they only show that a CPU is alive.
 *
 *     look 1: counted 100, records 100      all is well up to here
 *     look 2: counted 130, records 104      some are still under way, or missing: look again, soon
 *     look 3: counted 140, records 104      the 130 of look 2 have not arrived: 26 are missing since look 1
 *
 * At the start, records are counted from one moment on, and BPF's counts from a little later:
 * events under way then are records too many, never missing ones. The first look that finds no
 * activity at all since the one before corrects that.
 */
#ifndef RWALKER_RECORD_PLACE_STREAM_WATCH_H
#define RWALKER_RECORD_PLACE_STREAM_WATCH_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring_lives.h"

struct stream_cpu { /* running totals */
	struct ring_lives counted; /* by BPF; read before `records` */
	struct ring_lives records; /* read from the CPU's ring */
	uint64_t any;		   /* records of any kind */
	uint64_t lost;		   /* as the ring reports, once another record came after them */
	uint64_t full;		   /* how often it was found full */
};

struct stream_verdict {
	uint32_t cause;	  /* enum unsure_cause; 0: all is well */
	uint64_t missing; /* at least; 0: not known */
};

struct stream_watch {
	uint32_t cpus;
	bool opening;	   /* nothing is compared yet */
	bool waiting;	   /* something had not arrived at the last look */
	uint64_t asked_at; /* ns */
	uint64_t good_at;  /* all is well up to then */
	struct stream_cpu *base;  /* totals from which sums are compared, */
	struct stream_cpu *good;  /* totals at good_at, */
	struct stream_cpu *asked; /* and at asked_at */
	struct stream_verdict *verdicts;
};

int stream_watch_init(struct stream_watch *watch, uint32_t cpus);
void stream_watch_deinit(struct stream_watch *watch);

/* Starts over: what is missing by now no longer matters. */
void stream_watch_begin(struct stream_watch *watch, uint64_t now, const struct stream_cpu *cpus);

/*
 * True if something is missing: then watch->verdicts say what, since watch->good_at; they are valid
 * until the next call. The caller repairs what it can, then starts over.
 */
bool stream_watch_look(struct stream_watch *watch, uint64_t now, const struct stream_cpu *cpus);

/* ns: when to look next; at most a second after `now`. */
uint64_t stream_watch_next(const struct stream_watch *watch, uint64_t now);

#endif
