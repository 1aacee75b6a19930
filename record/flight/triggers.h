/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks the rules of --trigger during the recording, against waits, walks, pressures and cgroups.
 * What a rule needs of the host is opened while we are root. All rules that fire call one function.
 */
#ifndef RWALKER_RECORD_FLIGHT_TRIGGERS_H
#define RWALKER_RECORD_FLIGHT_TRIGGERS_H

#include <stdint.h>

#include "format/event.h"
#include "record/plan/record_options.h"

struct triggers;
struct flight_cause;

typedef void triggers_fire(void *context, const struct flight_cause *cause, uint64_t now);

/* Call it as root. Warns about rules that can never fire on this host. 0, or -errno after reporting why. */
int triggers_create(const struct record_flight *plan, const struct record_offcpu *offcpu, triggers_fire *fire,
		    void *context, struct triggers **ret_triggers);
/*
 * Replaces *triggers later, with other rules. Nothing can be opened for writing any more, so a
 * pressure must be one that is watched already. On failure *triggers is unchanged.
 */
int triggers_replace(struct triggers **triggers, const struct record_flight *plan,
		     const struct record_offcpu *offcpu);
void triggers_destroy(struct triggers *triggers);

/* The length of the shortest wait that triggers_wait() needs to see; UINT64_MAX: it needs none. */
uint64_t triggers_least(const struct triggers *triggers);
void triggers_wait(struct triggers *triggers, const struct event_wait *wait, const struct event_task *task);

/* cause: the longest wait in D that a walk found, and its task. */
void triggers_walked(struct triggers *triggers, const struct flight_cause *cause, uint64_t now);

/*
 * Checks pressures and cgroups. Call it at least once a second, from when events are recorded. What
 * the kernel reports of a pressure is ignored until the recording is as long as the rule's window:
 * no dump would contain what caused it.
 */
void triggers_look(struct triggers *triggers, uint64_t now);

#endif
