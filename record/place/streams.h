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
#ifndef RWALKER_RECORD_PLACE_STREAMS_H
#define RWALKER_RECORD_PLACE_STREAMS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "record/host/cpus.h"

struct probe;
struct recording;
struct spawner;
struct start_state;

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

/*
 * Keeps the kernel's records of processes (record/place/sideband.h) from ending unnoticed. Once a
 * second they are compared with what BPF counted (record/place/stream_watch.h), and the CPUs with
 * those that have a ring. If something is missing, the ring is reopened, all processes are read
 * again (record/place/start_state.h), and the trace says from when to when names were unsure:
 *
 *     all was well --- records are missing --- noticed, ring opened --- all processes read again
 *                  |------------------------- UNSURE -------------------------------|
 *
 * Reading all processes takes time. If it is needed again and again, it takes at most a twentieth
 * of the time.
 */

struct stream_gap {
	uint64_t from;	 /* ns; 0: none */
	uint64_t known;	 /* when it was last noticed */
	uint64_t missing;
	uint32_t cause;
};

struct stream_heard { /* of a ring */
	uint64_t any; /* records, at the last look */
	uint64_t at;  /* ns: the last look after which it delivered some */
};

struct streams {
	struct recording *recording;
	const struct probe *probe;
	const struct cpus *cpus;
	struct spawner *spawner;
	struct cpu_set online;	  /* at the last look */
	uint64_t followed;	  /* when that was, ns */
	uint64_t next;		  /* time of the next look, ns */
	struct stream_watch watch;
	struct ring_lives *counted; /* NULL: processes are not recorded */
	struct stream_cpu *now;
	struct stream_heard *heard;
	uint64_t looked; /* time of the last look, ns */
	struct stream_gap *gaps; /* by CPU */
	uint64_t *retries;	 /* by CPU: a dead ring is not reopened before this time, ns */
	struct start_state *again;
	uint64_t again_at, again_after; /* when it began, and the earliest time at which it may begin, ns */
	uint64_t silent;		/* records that the kernel did not deliver, at least */
	uint64_t unsure;		/* ns of the recording; overlapping spans of several CPUs count once */
	uint64_t unsure_until;
};

/* The rings are open. 0, -ENOMEM. */
int streams_init(struct streams *streams, struct recording *recording, const struct probe *probe,
		 const struct cpus *cpus, struct spawner *spawner);
void streams_deinit(struct streams *streams);

/* After each pass over the rings. may_tell: nobody else is reading all processes. */
void streams_step(struct streams *streams, uint64_t now, bool may_tell);
/* True: the next step should come soon. */
bool streams_busy(const struct streams *streams);
/* Closes the spans that are still unsure at the end of the recording. */
void streams_finish(struct streams *streams, uint64_t now);

#endif
