/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One section while its events become a profile: what its sources, modules, and the tasks and nodes of each open chunk
 * are called there. Used by profile_read.c and profile_walks.c.
 */
#ifndef RWALKER_REPORT_PROFILE_SECTION_H
#define RWALKER_REPORT_PROFILE_SECTION_H

#include "report/profile_unwind.h"

struct source_binding {
	uint32_t source; /* in the profile */
	enum profile_source_kind kind;
	uint64_t period; /* of samples that carry none */
	bool wanted;
	uint32_t origin; /* of its samples that tell no probe; NO_NUMBER: none yet */
};

struct probe_binding {
	uint32_t source; /* in the section: its id */
	uint32_t probe;	 /* in the profile */
	uint32_t origin; /* NO_NUMBER: none yet */
};

struct task_place { /* a chunk's task */
	uint32_t task;	  /* in the profile */
	uint32_t process; /* in the timeline */
	bool known, wanted;
};

struct section_slot { /* what belongs to one open chunk */
	uint64_t serial;
	const struct stack_node *nodes;
	struct chain_cache chains;
	struct task_place *tasks;
	size_t task_room;
};

struct section_walk {
	uint32_t number; /* in the section */
	uint32_t walk;	 /* in the profile */
	uint32_t source;
};

struct section_waits;

struct section {
	struct chain_context context;
	ARRAY(struct source_binding) sources; /* in the order of the model's */
	ARRAY(struct probe_binding) probes;   /* likewise */
	uint32_t recording; /* in the profile; NO_NUMBER: nobody will ask */
	struct section_slot slots[STREAM_OPEN_MAX];
	struct section_walk walk; /* the latest */
	struct section_waits *waits; /* NULL: the section has no such source */
	size_t first_walk;	  /* of the section, in the profile */
	uint64_t from, to;	  /* times that are wanted */
};

/* NULL: the section does not say what it is. */
const struct source_binding *section_source(const struct section *section, uint32_t id);
/* The slot of the event's chunk; makes the context that chunk's. */
int section_slot(struct section *section, const struct stream_event *event, struct section_slot **ret_slot);
/* *ret_place is NULL where the chunk does not define the task. */
int section_task(struct section *section, struct section_slot *slot, const struct stream_event *event, uint32_t number,
		 const struct task_place **ret_place);
bool section_wants(const struct section *section, uint64_t time, uint32_t cpu);

/* The binding of the section's first source of that kind, NULL: there is none. */
const struct source_binding *section_source_of(const struct section *section, enum profile_source_kind kind);

/* profile_walks.c */
int section_add_walk(struct section *section, const struct event_walk *walk);
int section_add_walk_task(struct section *section, const struct stream_event *event);

#endif
