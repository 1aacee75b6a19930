/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
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
#ifndef RWALKER_RECORD_PLACE_STREAMS_H
#define RWALKER_RECORD_PLACE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/machine/cpus.h"
#include "record/place/stream_watch.h"

struct spawner;
struct probe;
struct recording;
struct start_state;

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
