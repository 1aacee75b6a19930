/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rules of --trigger while it records: which of them the waits, walks, pressures and cgroups of
 * this moment fulfil. What a rule needs of the host is opened while we are root. What fires goes to
 * one function.
 */
#ifndef RWALKER_RECORD_FLIGHT_TRIGGERS_H
#define RWALKER_RECORD_FLIGHT_TRIGGERS_H

#include <stdint.h>

#include "format/event.h"
#include "record/plan/record_options.h"

struct triggers;
struct flight_cause;

typedef void triggers_fire(void *context, const struct flight_cause *cause, uint64_t now);

/* As root. A rule that can never fire on this host is warned about. 0, or -errno after reporting why. */
int triggers_create(const struct record_flight *plan, const struct record_offcpu *offcpu, triggers_fire *fire,
		    void *context, struct triggers **ret_triggers);
/*
 * The same later, with other rules, instead of *triggers. Nothing can be opened for writing any
 * more, so a pressure must be one that is watched already. On failure *triggers is as before.
 */
int triggers_replace(struct triggers **triggers, const struct record_flight *plan,
		     const struct record_offcpu *offcpu);
void triggers_destroy(struct triggers *triggers);

/* The length of the shortest wait that triggers_wait() has to know; UINT64_MAX: none. */
uint64_t triggers_least(const struct triggers *triggers);
void triggers_wait(struct triggers *triggers, const struct event_wait *wait, const struct event_task *task);

/* The longest wait in D of a walk: `cause` says whose. */
void triggers_walked(struct triggers *triggers, const struct flight_cause *cause, uint64_t now);

/*
 * Pressures and cgroups; to be called at least once a second from when on events are recorded.
 * What the kernel reports of a pressure is ignored until the rule's window is in the recording,
 * since no dump would have what it is about.
 */
void triggers_look(struct triggers *triggers, uint64_t now);

#endif
