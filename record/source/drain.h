/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Moves records from the rings into the log. A pass notes how far the kernel has written, then
 * processes the samples of all rings up to that point and the sideband's records in order of time.
 * So when a sample is encoded, the mappings of its process are those of that moment. Nothing is
 * allocated, logged or formatted here.
 */
#ifndef RWALKER_RECORD_SOURCE_DRAIN_H
#define RWALKER_RECORD_SOURCE_DRAIN_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "record/perf/ring.h"

struct cgroups;
struct probe;
struct recording;
struct ring_head;

struct drain_ring {
	struct ring ring;
	const struct ring_head *head; /* the next to encode; NULL: none left in this pass */
	size_t length;		      /* of its record */
	uint64_t released;	      /* how far the kernel has got its ring back */
};

/* Handles one record of a ring. */
typedef void drain_take(void *context, const struct ring_head *head, size_t length);

struct drain_handler {
	drain_take *take; /* NULL: nothing handles these records */
	void *context;
};

struct drain {
	struct recording *recording;
	struct drain_handler handlers[RING_KINDS];
	struct cgroups *cgroups;     /* has a ring of its own; NULL: none */
	struct drain_ring *rings;
	merge_key *keys; /* of the tree that finds the earliest head */
	uint32_t ring_count;
	size_t ring_bytes; /* of each */
	uint64_t refused; /* records of a kind that nothing handles */
};

/* Maps the probe's rings. 0, or -errno after reporting why. */
int drain_open(struct drain *drain, struct recording *recording, const struct probe *probe, size_t ring_bytes);
void drain_close(struct drain *drain);
/* Sets who handles records of a kind, before the first pass. */
void drain_handle(struct drain *drain, enum ring_kind kind, drain_take *take, void *context);
/* Maps the rings that the probe has created since. 0, or -errno after reporting why. */
int drain_follow(struct drain *drain, const struct probe *probe);

/*
 * Runs until recording->stop says that the log has failed, or all rings are read up to now. Returns
 * true if much has arrived meanwhile.
 */
bool drain_pass(struct drain *drain);

/* Bytes of the rings, and of their mappings, which contain the data twice and are part of our resident memory. */
uint64_t drain_ring_bytes(const struct drain *drain);
uint64_t drain_mapped_bytes(const struct drain *drain);

#endif
