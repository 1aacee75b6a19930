/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where and when the traces of a profile were recorded, and how many events they lack. */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_ORIGIN_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_ORIGIN_H

#include "report/profile/seam/profile.h"

struct profile_origin { /* one recording; texts are "" if the trace does not have them, and belong to the profile */
	const char *host, *kernel, *machine;
	uint64_t cpus;	   /* 0: unknown */
	uint64_t realtime; /* at its start, ns since 1970, UTC; 0: unknown */
	uint64_t length;   /* ns, of the whole recording, whatever the filters */
};

/* The number of recordings, in the order of the traces. */
size_t profile_origins(const struct profile *profile);
void profile_origin(const struct profile *profile, size_t number, struct profile_origin *ret_origin);

/* The name of a host, by the number that tasks, walks and recordings use; "" if no trace has it. */
const char *profile_host_name(const struct profile *profile, uint32_t host);

struct profile_span { /* times of its recording, both included */
	uint64_t from, until;
};

/* Whether less was recorded than asked for at some time, to keep the recorder's cost down. */
bool profile_coarser(const struct profile *profile);

/*
 * Span number `number` of a recording in which names may be wrong because records of processes were
 * missing. Spans are ascending and disjoint. False if there are no more.
 */
bool profile_unsure(const struct profile *profile, uint32_t recording, size_t number, struct profile_span *ret_span);

struct profile_losses { /* of all recordings, before filters */
	uint64_t recorded; /* events */
	uint64_t lost;	   /* events that should be in the traces and are not */
	bool any;	   /* whether anything was recorded */
};

void profile_losses(const struct profile *profile, struct profile_losses *ret_losses);

#endif
