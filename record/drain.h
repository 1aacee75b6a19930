/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From the rings into the log. A pass notes how far the kernel has written, then takes the samples of all rings up to
 * there and the sideband's records in the order of their times: when a sample is encoded, its process maps what it
 * mapped at that moment. No allocation, no logging, no string work happens here.
 */
#ifndef RWALKER_RECORD_DRAIN_H
#define RWALKER_RECORD_DRAIN_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring_event.h"
#include "record/ring.h"

struct filter;
struct point_events;
struct probe;
struct snapshots;
struct recording;
struct ring_head;
struct waits;

struct drain_ring {
	struct ring ring;
	const struct ring_head *head; /* the next to encode, NULL: none is left in this pass */
	size_t length;		      /* of its record */
	uint64_t released;	      /* up to where the kernel has its ring back */
};

struct drain {
	struct recording *recording;
	struct waits *waits;	     /* takes what is about waits; NULL: there are none */
	struct point_events *points; /* takes hits; NULL: there are none */
	struct snapshots *snapshots; /* takes these; NULL: there are none */
	struct drain_ring *rings;
	uint64_t *times; /* of the heads, UINT64_MAX: none */
	uint32_t ring_count;
	uint64_t period;  /* of samples that need not carry one; set once it is known */
	uint64_t refused; /* by the encoder */
	const struct filter *filter;
	uint64_t *filtered; /* per CPU: recorded by the program, not wanted by a late -c */
	uint64_t *whole;    /* per CPU: truncated by the program's word, and only noise was cut off */
};

/* Maps the probe's rings. -errno after it said why. */
int drain_open(struct drain *drain, struct recording *recording, const struct probe *probe,
	       const struct filter *filter, size_t ring_bytes);
void drain_close(struct drain *drain);

/* Until recording->stop says that the log has failed, or all rings are read up to now. True: much has come meanwhile. */
bool drain_pass(struct drain *drain);

/* Bytes of the mappings, for the account of memory. */
uint64_t drain_mapped_bytes(const struct drain *drain);

#endif
