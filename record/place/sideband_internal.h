/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What sideband.c (the rings of all CPUs, read as one) and sideband_apply.c (what their records
 * mean) share. Included by nothing else.
 */
#ifndef RWALKER_RECORD_PLACE_SIDEBAND_INTERNAL_H
#define RWALKER_RECORD_PLACE_SIDEBAND_INTERNAL_H

#include <linux/perf_event.h>

#include "bpf/ring.h"
#include "common/hash_map.h"
#include "format/event.h"
#include "record/perf/perf_event.h"
#include "record/perf/ring.h"
#include "record/place/ended.h"
#include "record/place/sideband.h"
#include "record/place/streams.h"

enum { YOUNG_SLOTS = 4096, UNAVAILABLE_KEPT = 1024 };

struct sharer {
	uint32_t tgid, group; /* group 0: free */
};

struct sideband {
	struct recording *recording;
	struct module_files *files;
	struct perf_ring *rings; /* by CPU number */
	struct stream_cpu *totals; /* by CPU number: of the records that were applied */
	merge_key *keys;	 /* of the tree that finds the earliest record: each ring's next one */
	uint64_t horizon;	 /* of the last look; younger records wait */
	uint32_t max_cpus;
	size_t ring_bytes; /* of each, at most */
	uint32_t open_count;
	int epoll_fd;	   /* woken when a ring fills; -1: nobody waits */
	struct perf_event_attr attr;
	struct hash_map seen; /* tgid -> enum sideband_seen */
	bool seeing;	      /* somebody may still ask for `seen` */
	struct ended ended;
	struct event_maps_unavailable unavailable[UNAVAILABLE_KEPT];
	uint32_t unavailable_count;
	const struct ring_shares *shares; /* NULL: not known */
	uint32_t shares_taken, groups;	  /* so far */
	struct sharer sharers[2 * RING_SHARES];
	uint32_t next_sharer;
	uint32_t young[YOUNG_SLOTS]; /* tgids, by their low bits: forked lately, with one thread so far */
};

/* The time at the end of every record, even if the kernel reports too large a size (KSYMBOL). */
uint64_t sideband_record_time(const struct perf_event_header *header);
/* Writes what has turned out to be copies of files' code. */
void sideband_take_copies(struct sideband *sideband);
/* Notes who shares memory by that time (sideband_shares.c). */
void sideband_take_shares(struct sideband *sideband, uint64_t until);
/* The next one at or after *cursor, which begins at 0, that shares the memory of the process. 0: no more. */
uint32_t sideband_next_sharer(const struct sideband *sideband, uint32_t tgid, uint32_t *cursor);
/* Applies the record to the trace, the modules, the address spaces and the kernel map (sideband_apply.c). */
void sideband_apply_record(struct sideband *sideband, uint32_t cpu, const struct perf_event_header *header);

#endif
