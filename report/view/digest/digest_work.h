/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits for work, which are not a problem however long they are and whoever ends them. They are
 * waits for connections, known by their object, and waits in pools that have nothing to do: several
 * threads of a process wait for the same condition, in the same place, for most of the recording.
 */
#ifndef RWALKER_REPORT_VIEW_DIGEST_DIGEST_WORK_H
#define RWALKER_REPORT_VIEW_DIGEST_DIGEST_WORK_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/look/chain.h"
#include "report/view/look/waits.h"

struct pool {
	uint32_t threads, last_task;
	uint64_t weight; /* of the waits of all threads, ns */
};

struct digest_work {
	struct profile *profile;
	const struct waits *waits;
	uint64_t duration;  /* of the recordings */
	struct hash_map known; /* (node, process, host): number of a pool */
	ARRAY(struct pool) pools;
	uint8_t *conditions; /* by node: 1 if it waits for a condition, 2 if not, 0 if not known yet */
	struct chain chain;
};

/* `waits` must outlive it. 0, -ENOMEM, -EBADMSG. Deinitialize it in any case. */
int digest_work_init(struct digest_work *work, struct profile *profile, const struct waits *waits, uint64_t duration);
void digest_work_deinit(struct digest_work *work);

bool digest_work_has(const struct digest_work *work, const struct profile_wait *wait);

#endif
